import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { caddyErrors, caddyOptions } from "../engine/caddy.ts";
import { docker, dockerOrNothing, engineHost, inspect } from "../engine/docker.ts";
import { helperImage } from "../engine/names.ts";
import { checkManager, findNode } from "./manager.ts";
import { ownLabel, proxyConfig, proxyService, serviceName, specificationLabel } from "./names.ts";
import { deploy, findService, refuseForeign, specificationOf, tasksOf } from "./service.ts";
import { labelled, logging, type Specification, scratch } from "./specification.ts";

/** What the outside reaches, and where that leads. */
export interface Proxy {
  application: string;
  port: number;
  service: string;
  servicePort: number;
}

/** Sees to it that the proxy listens; from one release to the next it stays as it is. */
export async function ensureProxy(proxy: Proxy): Promise<void> {
  const { application, port } = proxy;
  const name = serviceName(application, proxyService(port));
  const specification = proxySpecification(proxy);
  await refuseForeign(application, name);
  const found = await findService(name);
  if (found && specificationOf(found.Spec.TaskTemplate) === specification.labels[specificationLabel]) return;
  await keepConfig(application, caddyfile(proxy));
  await deploy(application, { [proxyService(port)]: specification });
  await untilListening(name, port, found !== undefined).catch(async (error) => {
    if (!found) await dockerOrNothing(["service", "rm", name]);
    throw error;
  });
}

/** On every node, since each has the port: whoever balances the nodes may choose any of them. */
export function proxySpecification(proxy: Proxy): Specification {
  const task = {
    image: helperImage,
    command: ["caddy", "run", "--config", "/etc/dory/Caddyfile", "--adapter", "caddyfile"],
    // The file of the program asks for this capability, though the port here needs none.
    ...{ read_only: true, cap_drop: ["ALL"], cap_add: ["NET_BIND_SERVICE"] },
    configs: [{ source: proxyConfig(caddyfile(proxy)), target: "/etc/dory/Caddyfile" }],
    volumes: [scratch("/config"), scratch("/data")],
    ports: [{ target: 8080, published: proxy.port, protocol: "tcp", mode: "host" }],
    stop_grace_period: "15s",
    logging,
  };
  return labelled(proxy.application, task, { mode: "global", endpoint_mode: "dnsrr" });
}

/**
 * It names no task: it asks the swarm who serves, which names healthy tasks only. So nothing here changes from one
 * release to the next; a new configuration would close idle connections, and with them requests that are on their way.
 */
export function caddyfile({ application, service, servicePort }: Proxy): string {
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

async function keepConfig(application: string, text: string): Promise<void> {
  const name = proxyConfig(text);
  if (await inspect("config", name)) return;
  await docker(["config", "create", "--label", `${ownLabel}=${application}`, name, "-"], { input: text });
}

/** A proxy that is replaced has the port until it has ended. */
async function untilListening(name: string, port: number, isReplacing: boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(300)) {
    const tasks = (await tasksOf(name)).filter(({ DesiredState }) => DesiredState === "running");
    if (tasks.length > 0 && tasks.every(({ Status }) => Status.State === "running")) return;
    const said = (await tasksOf(name)).map(({ Status }) => Status.Err ?? "").find((text) => text !== "") ?? "";
    if (!isReplacing && /port is already allocated|address already in use|host-mode port already in use/.test(said))
      throw new Fault("port_taken", `Something else listens on port ${port}. Choose another one with --port.`);
    if (Date.now() > deadline || (!isReplacing && /rejected|failed/.test(tasks[0]?.Status.State ?? "")))
      throw new Fault("proxy", `The proxy on port ${port} does not start: ${said || "no task runs"}.`);
  }
}

/** A node that the proxy is on: the engine's own, if it can be. */
async function hostOf(application: string, port: number): Promise<string> {
  const own = await checkManager();
  const tasks = await tasksOf(serviceName(application, proxyService(port)));
  const nodes = tasks.flatMap(({ NodeID, Status }) => (NodeID && Status.State === "running" ? [NodeID] : []));
  const [other] = nodes.includes(own) ? [] : nodes;
  return (other && (await findNode(other))?.Status.Addr) ?? (await engineHost()) ?? "localhost";
}

export const urlOf = async (application: string, port: number) => `http://${await hostOf(application, port)}:${port}`;

export interface Answer {
  /** Zero if there was none. */
  status: number;
  /** The address of the task that answered. */
  upstream: string;
  body: string;
}

/** Asks from outside, as anybody would, and also who answers. */
export async function ask(url: string, path: string): Promise<Answer> {
  const signal = AbortSignal.timeout(5000);
  try {
    const response = await fetch(`${url}${path}`, { headers: { "X-Upstream": "?" }, redirect: "manual", signal });
    const upstream = response.headers.get("x-upstream") ?? "";
    return { status: response.status, upstream, body: (await response.text()).slice(0, 200) };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: 0, upstream: "", body: (cause as Error | undefined)?.message || message };
  }
}
