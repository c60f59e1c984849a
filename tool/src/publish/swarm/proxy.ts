import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { explainFailure, fetchText } from "../../fetch-text.ts";
import { caddyErrors, caddyOptions } from "../engine/caddy.ts";
import { docker, dockerOrNothing, inspect } from "../engine/docker.ts";
import { helperImage } from "../engine/names.ts";
import { findNode, type Manager } from "./manager.ts";
import { ownLabel, proxyConfig, proxyService, serviceName, specificationLabel } from "./names.ts";
import { deployServices, findOwnServices, findTasks, readSpecificationHash } from "./service.ts";
import { addLabels, logging, type Specification, scratchMount } from "./specification.ts";

/** The public port, and the service behind it. */
export interface Proxy {
  application: string;
  port: number;
  service: string;
  servicePort: number;
}

/** Makes sure that the proxy listens; it does not change from release to release. */
export async function ensureProxy(proxy: Proxy): Promise<void> {
  const { application, port } = proxy;
  const name = serviceName(application, proxyService(port));
  const specification = specifyProxy(proxy);
  const [found] = await findOwnServices(application, [name]);
  if (found && readSpecificationHash(found.Spec.TaskTemplate) === specification.labels[specificationLabel]) return;
  await createConfig(application, printCaddyfile(proxy));
  await deployServices(application, { [proxyService(port)]: specification });
  await waitUntilListening(name, port, found !== undefined).catch(async (error) => {
    if (!found) await dockerOrNothing(["service", "rm", name]);
    throw error;
  });
}

/** On every node, because a load balancer may choose any of them. */
export function specifyProxy(proxy: Proxy): Specification {
  const task = {
    image: helperImage,
    command: ["sh", "-c", printCommand(proxy)],
    // The binary requires this capability, though this port does not need it.
    read_only: true,
    cap_drop: ["ALL"],
    cap_add: ["NET_BIND_SERVICE"],
    configs: [{ source: proxyConfig(printCaddyfile(proxy)), target: "/etc/dory/Caddyfile" }],
    volumes: [scratchMount("/config"), scratchMount("/data")],
    ports: [{ target: 8080, published: proxy.port, protocol: "tcp", mode: "host" }],
    stop_grace_period: "15s",
    // A node that is cut off ends no connection. A request that it does not confirm fails after some 6 s, not after 15
    // minutes, and GET is sent to another task: see lb_try_duration.
    sysctls: { "net.ipv4.tcp_retries2": "4" },
    logging,
  };
  return addLabels(proxy.application, task, { mode: "global", endpoint_mode: "dnsrr" });
}

/**
 * A node that comes back learns only after some seconds which tasks there are. Until then its proxy does not listen, so
 * that a load balancer chooses another node; but not for ever, because all tasks may have failed.
 */
function printCommand({ application, service }: Proxy): string {
  const tasks = `getent hosts tasks.${serviceName(application, service)}`;
  const wait = `seconds=0; until ${tasks} > /dev/null || [ $seconds -ge 30 ]; do seconds=$((seconds + 1)); sleep 1; done`;
  return `${wait}; exec caddy run --config /etc/dory/Caddyfile --adapter caddyfile`;
}

/**
 * It names no task: it asks the swarm's DNS, which lists healthy tasks only. So it does not change from release to
 * release; a new configuration would close idle connections and lose requests in flight.
 */
export function printCaddyfile({ application, service, servicePort }: Proxy): string {
  return `${caddyOptions("off")}
:8080 {
	@asked header X-Upstream ?
	header -Server
	header @asked {
		X-Upstream {http.reverse_proxy.upstream.hostport}
		defer
	}
	reverse_proxy {
		dynamic a {
			name tasks.${serviceName(application, service)}
			port ${servicePort}
			refresh 1s
			resolvers 127.0.0.11:53
		}
		lb_try_duration 10s
		lb_try_interval 100ms
		fail_duration 2s
		transport http {
			dial_timeout 1s
			keepalive 30s
		}
	}
	${caddyErrors}
}
`;
}

async function createConfig(application: string, text: string): Promise<void> {
  const name = proxyConfig(text);
  if (await inspect("config", name)) return;
  await docker(["config", "create", "--label", `${ownLabel}=${application}`, name, "-"], { input: text });
}

/** A replaced proxy holds the port until it ends. */
async function waitUntilListening(name: string, port: number, isReplacing: boolean): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; await sleep(500)) {
    const all = await findTasks([name]);
    const tasks = all.filter(({ DesiredState }) => DesiredState === "running");
    if (tasks.length > 0 && tasks.every(({ Status }) => Status.State === "running")) return;
    const reason = all.map(({ Status }) => Status.Err ?? "").find((text) => text !== "") ?? "";
    if (!isReplacing && /port is already allocated|address already in use|host-mode port already in use/.test(reason))
      throw new Fault("port_taken", `Something else listens on port ${port}. Choose another one with --port.`);
    if (performance.now() > deadline || (!isReplacing && /rejected|failed/.test(tasks[0]?.Status.State ?? "")))
      throw new Fault("proxy", `The proxy on port ${port} does not start: ${reason || "no task runs"}.`);
  }
}

/** Where the proxy listens: preferably on the manager's node. */
export async function findUrl(application: string, port: number, manager: Manager): Promise<string> {
  const tasks = await findTasks([serviceName(application, proxyService(port))]);
  const nodes = tasks.flatMap(({ NodeID, Status }) => (NodeID && Status.State === "running" ? [NodeID] : []));
  const [other] = nodes.includes(manager.node) ? [] : nodes;
  const found = other === undefined ? undefined : await findNode(other);
  return toUrl(found?.Status.Addr ?? manager.host, port);
}

const toUrl = (host: string | undefined, port: number) => `http://${host ?? "localhost"}:${port}`;

export interface Answer {
  /** Zero if there was no answer. */
  status: number;
  /** The address of the task that answered. */
  upstream: string;
  body: string;
}

/** Sends a request from outside, to the manager's node if the proxy answers there. */
export async function askProxy(application: string, port: number, path: string, manager: Manager): Promise<Answer> {
  const near = toUrl(manager.host, port);
  const answer = await ask(near, path);
  if (answer.upstream !== "") return answer;
  const url = await findUrl(application, port, manager);
  return url === near ? answer : ask(url, path);
}

async function ask(url: string, path: string): Promise<Answer> {
  try {
    const headers = { "X-Upstream": "?" };
    const answer = await fetchText(`${url}${path}`, { headers }, { timeoutMs: 5000, mostBytes: 200 });
    return { status: answer.status, upstream: answer.headers.get("x-upstream") ?? "", body: answer.text };
  } catch (error) {
    return { status: 0, upstream: "", body: explainFailure(error) };
  }
}
