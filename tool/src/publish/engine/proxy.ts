import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Fault } from "../../fault.ts";
import { pinImage } from "../pin.ts";
import { caddyErrors, caddyOptions } from "./caddy.ts";
import { docker, dockerIfPossible, dockerOrNothing, inspect } from "./docker.ts";
import type { Lease } from "./lease.ts";
import { applicationNetwork, helperImage, stateVolume } from "./names.ts";
import { type Address, keepServing, servingFolder } from "./state.ts";

/** One proxy per port, and one for all domains: a port cannot be added to a running container. */
export const proxyKey = ({ domain, port }: Address) => (domain === undefined ? String(port) : "domains");
/** The proxy's own, which it cannot leave. Applications of earlier versions of Dory are in it too. */
const networkName = (key: string) => `dory-${key}`;
const proxyName = (key: string) => `dory-proxy-${key}`;
const sitesFolder = (key: string) => `/dory/proxies/${key}`;

/** The host name of a release for the proxy. */
export const toHostName = (application: string, label: string) => `${label}.${application}`;

export interface Site {
  address: Address;
  /** Of the service. */
  port: number;
  /** The engine's machine, if it is not this one. */
  host: string | undefined;
}

/** Makes sure that a proxy listens and serves the application. Idempotent. */
export async function ensureProxy(lease: Lease, application: string, { address, port, host }: Site): Promise<void> {
  const key = proxyKey(address);
  await keepServing(lease, application);
  const isNew = await writeSite(lease, application, address, printSite(application, address, port));
  const found = await inspect<Proxy>("container", proxyName(key));
  if (!found || !(await isListening(found, address, host))) return startProxy(lease, address);
  await joinNetwork(found, application);
  if (isNew) await reload(key);
}

interface Proxy {
  Name: string;
  State: { Running: boolean; Paused: boolean };
  NetworkSettings: { Networks: Record<string, object> };
}

/** Whether it works: a container may run although the process in it is stopped, or has lost its port. */
async function isListening({ Name, State }: Proxy, address: Address, host: string | undefined): Promise<boolean> {
  if (!State.Running || State.Paused) return false;
  const listening = address.domain === undefined ? "1F90" : "01BB";
  const sockets = await docker(["exec", Name.slice(1), "cat", "/proc/net/tcp", "/proc/net/tcp6"]).catch(() => "");
  if (!new RegExp(`:${listening} \\S+ 0A `).test(sockets)) return false;
  // The port of another machine may be closed to this one, and a domain may be new.
  if (host !== undefined || address.domain !== undefined) return true;
  const asks = [askProxy, askProxy].map((ask) => () => ask(address, host, "/"));
  for (const ask of asks) if ((await ask()).status > 0) return true;
  return false;
}

/** Starts a new one, in the networks of all applications that it serves. */
async function startProxy(lease: Lease, address: Address): Promise<void> {
  const key = proxyKey(address);
  await dockerIfPossible(["rm", "-f", proxyName(key)]);
  await ensureNetwork(networkName(key));
  const host = address.isPublic ? "" : "127.0.0.1:";
  const ports = address.domain === undefined ? [`${host}${address.port}:8080`] : ["80:80", "443:443", "443:443/udp"];
  const config = ["--config", `${sitesFolder(key)}/Caddyfile`, "--adapter", "caddyfile"];
  const identity = ["--name", proxyName(key), "--label", `dory.proxy=${key}`, "--restart", "unless-stopped"];
  const network = ["--network", networkName(key), ...ports.flatMap((port) => ["-p", port])];
  const volumes = ["-v", `${stateVolume}:/dory:ro`, "-v", "dory-caddy:/data", "--read-only", "--tmpfs", "/config"];
  const rights = ["--cap-drop", "ALL", "--cap-add", "NET_BIND_SERVICE", "--security-opt", "no-new-privileges"];
  const command = [await pinImage(helperImage), "caddy", "run", ...config];
  try {
    await docker(["create", ...identity, ...network, ...volumes, ...rights, ...command]);
    for (const application of await listSites(lease, key))
      await dockerOrNothing(["network", "connect", applicationNetwork(application), proxyName(key)]);
    await docker(["start", proxyName(key)]);
  } catch (error) {
    await dockerIfPossible(["rm", "-f", proxyName(key)]);
    await dockerIfPossible(["network", "rm", networkName(key)]);
    throw error;
  }
}

/** An application shares its network only with the proxy, not with other applications. */
async function joinNetwork({ Name, NetworkSettings }: Proxy, application: string): Promise<void> {
  const network = applicationNetwork(application);
  if (!Object.hasOwn(NetworkSettings.Networks, network)) await docker(["network", "connect", network, Name.slice(1)]);
}

/** Removes an application from all proxies except the one at `but`, and proxies that serve nothing else. */
export async function removeFromProxies(lease: Lease, application: string, but: Address | undefined): Promise<void> {
  const found = await lease.run('cd /dory/proxies 2>/dev/null && ls -d */"$1.site" 2>/dev/null || true', [application]);
  const keys = found
    .split("\n")
    .filter(Boolean)
    .map((path) => path.split("/")[0] ?? "");
  for (const key of keys) if (!but || key !== proxyKey(but)) await removeFromProxy(lease, application, key);
}

async function removeFromProxy(lease: Lease, application: string, key: string): Promise<void> {
  await lease.run('rm -f "$1/$2.site"', [sitesFolder(key), application]);
  if ((await listSites(lease, key)).length > 0) {
    await reload(key);
    return dockerIfPossible(["network", "disconnect", "-f", applicationNetwork(application), proxyName(key)]);
  }
  await dockerIfPossible(["rm", "-f", proxyName(key)]);
  await dockerIfPossible(["network", "rm", networkName(key)]);
  await lease.run('rm -rf "$1"', [sitesFolder(key)]);
}

/** `engine` is the engine's machine, if it is not this one. */
export function toUrl({ domain, port, isPublic }: Address, engine: string | undefined): string {
  if (domain !== undefined) return `https://${domain}`;
  return `http://${(isPublic && engine) || "localhost"}:${port}`;
}

export interface ProxyAnswer {
  /** Zero if there was no answer. */
  status: number;
  /** Of the release that answered. */
  label: string;
  body: string;
}

/** More of an answer is not read. */
const mostShown = 10_000;

/** Sends a request from outside; returns also which release answered. */
export function askProxy(address: Address, engine: string | undefined, path: string): Promise<ProxyAnswer> {
  const host = (address.isPublic && engine) || "127.0.0.1";
  const headers = { "X-Slot": "?", Host: address.domain ?? `localhost:${address.port}` };
  const signal = AbortSignal.timeout(5000);
  const common = { host, path, headers, signal, agent: false as const };
  return new Promise((resolve) => {
    const fail = ({ message }: Error) =>
      resolve({ status: 0, label: "", body: signal.aborted ? "no answer within 5 seconds" : message });
    // This checks only which release answers, even before the certificate is trusted.
    const secure = { servername: address.domain, rejectUnauthorized: false };
    const request =
      address.domain === undefined
        ? httpRequest({ ...common, port: address.port })
        : httpsRequest({ ...common, port: 443, ...secure });
    request.once("response", (response) => {
      let body = "";
      const toAnswer = () => ({ status: response.statusCode ?? 0, label: String(response.headers["x-slot"]), body });
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
        if (body.length < mostShown) return;
        resolve(toAnswer());
        request.destroy();
      });
      response.once("end", () => resolve(toAnswer()));
      response.once("error", fail);
    });
    request.once("error", fail);
    request.end();
  });
}

async function listSites(lease: Lease, key: string): Promise<string[]> {
  const found = await lease.run('ls "$1" 2>/dev/null || true', [sitesFolder(key)]);
  return found.split("\n").flatMap((name) => (name.endsWith(".site") ? [name.slice(0, -5)] : []));
}

/** Prints the owner of the port or domain, if another; otherwise writes the files and prints if the site changed. */
const writeScript = `
mkdir -p "$1"; owner=
for site in "$1"/*.site; do
  if [ -e "$site" ] && [ "$site" != "$1/$2.site" ]; then
    if [ -z "$3" ] || grep -qxF "$3 {" "$site"; then owner=$site; fi
  fi
done
if [ -n "$owner" ]; then echo "$owner"; else
  printf %s "$4" > "$1/new"; mv "$1/new" "$1/Caddyfile"
  cat > "$1/new"
  if cmp -s "$1/new" "$1/$2.site"; then rm "$1/new"; else mv "$1/new" "$1/$2.site"; echo new; fi
fi`;

/** Returns whether the site changed: a reload that changes nothing would still close idle connections. */
async function writeSite(lease: Lease, application: string, address: Address, site: string): Promise<boolean> {
  const key = proxyKey(address);
  const answer = await lease.run(
    writeScript,
    [sitesFolder(key), application, address.domain ?? "", printCaddyfile(key)],
    site,
  );
  if (answer === "new" || answer === "") return answer === "new";
  const owner = answer.replace(/.*\/|\.site$/g, "");
  if (address.domain === undefined)
    throw new Fault("port_taken", `${owner} is published on port ${address.port}. Choose another one with --port.`);
  throw new Fault(
    "domain_taken",
    `${address.domain} belongs to ${owner}, which is published here. Choose another domain.`,
  );
}

async function reload(key: string): Promise<void> {
  const config = ["--config", `${sitesFolder(key)}/Caddyfile`, "--adapter", "caddyfile"];
  await docker(["exec", proxyName(key), "caddy", "reload", ...config]);
}

/** With `application`, the network is removed with that application. */
export async function ensureNetwork(name: string, application?: string): Promise<void> {
  const labels = application === undefined ? [] : ["--label", `dory.application=${application}`];
  if ((await dockerOrNothing(["network", "inspect", name])) === undefined)
    await docker(["network", "create", ...labels, name]);
}

function printCaddyfile(key: string): string {
  return `${caddyOptions("localhost:2019")}
import ${sitesFolder(key)}/*.site
`;
}

/**
 * A site does not change from release to release: the newest file in a folder names the release. A new configuration
 * would close idle connections and lose requests in flight.
 */
export function printSite(application: string, { domain }: Address, port: number): string {
  return `${domain ?? ":8080"} {
	@asked header X-Slot ?
	@serving file {
		root ${servingFolder(application)}
		try_files *
		try_policy most_recently_modified
	}
	map {http.matchers.file.relative} {label} {
		~^/(.+)$ "\${1}"
	}
	header -Server
	handle @serving {
		header @asked X-Slot {label}
		reverse_proxy ${toHostName(application, "{label}")}:${port} {
			lb_try_duration 5s
			lb_try_interval 100ms
			transport http {
				dial_timeout 2s
				keepalive 30s
			}
		}
	}
	handle {
		error 503
	}
	${caddyErrors}
}
`;
}
