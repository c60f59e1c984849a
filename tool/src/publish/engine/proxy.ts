import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Fault } from "../../fault.ts";
import { caddyErrors, caddyOptions } from "./caddy.ts";
import { docker, dockerIfPossible, dockerOrNothing, engineHost, inspect } from "./docker.ts";
import type { Lease } from "./lease.ts";
import { helperImage, stateVolume } from "./names.ts";
import type { Address, Slot } from "./state.ts";

/** One proxy for each port, and one for all domains: adding a port to a running container is not possible. */
export const proxyKey = ({ domain, port }: Address) => (domain === undefined ? String(port) : "domains");
export const proxyNetwork = (address: Address) => `dory-${proxyKey(address)}`;
const proxyName = (address: Address) => `dory-proxy-${proxyKey(address)}`;
const sitesFolder = (address: Address) => `/dory/proxies/${proxyKey(address)}`;

/** The name by which the proxy reaches what is in a slot. */
export const slotName = (application: string, slot: Slot) => `${slot}.${application}`;

/** Sees to it that a proxy listens and knows the application. Whoever asks again changes nothing. */
export async function ensureProxy(lease: Lease, application: string, address: Address, port: number): Promise<void> {
  const key = proxyKey(address);
  await refuseIfAnothers(lease, application, address);
  const isNew = await writeSite(lease, application, address, siteFor(application, address, port));
  await ensureNetwork(proxyNetwork(address));
  const running = await inspect<{ State: { Running: boolean } }>("container", proxyName(address));
  if (running?.State.Running) {
    if (isNew) await reload(address);
    return;
  }
  if (running) await docker(["rm", "-f", proxyName(address)]);
  const host = address.isPublic ? "" : "127.0.0.1:";
  const ports = address.domain === undefined ? [`${host}${address.port}:8080`] : ["80:80", "443:443", "443:443/udp"];
  const args = [
    ...["run", "-d", "--name", proxyName(address), "--label", `dory.proxy=${key}`, "--restart", "unless-stopped"],
    ...["--network", proxyNetwork(address), ...ports.flatMap((port) => ["-p", port])],
    ...["-v", `${stateVolume}:/dory:ro`, "-v", "dory-caddy:/data", "--read-only", "--tmpfs", "/config"],
    ...["--cap-drop", "ALL", "--cap-add", "NET_BIND_SERVICE", "--security-opt", "no-new-privileges"],
    ...[helperImage, "caddy", "run", "--config", `${sitesFolder(address)}/Caddyfile`, "--adapter", "caddyfile"],
  ];
  await docker(args).catch(async (error) => {
    await dockerIfPossible(["rm", "-f", proxyName(address)]);
    throw error;
  });
}

/** Takes an application off its proxy, and the proxy away when it serves nothing else. */
export async function leaveProxy(lease: Lease, application: string, address: Address): Promise<void> {
  await lease.run('rm -f "$1/$2.site"', [sitesFolder(address), application]);
  if ((await sitesOf(lease, address)).length > 0) return reload(address);
  await dockerIfPossible(["rm", "-f", proxyName(address)]);
  await dockerIfPossible(["network", "rm", proxyNetwork(address)]);
  await lease.run('rm -rf "$1"', [sitesFolder(address)]);
}

export async function urlOf({ domain, port, isPublic }: Address): Promise<string> {
  if (domain !== undefined) return `https://${domain}`;
  return `http://${isPublic ? ((await engineHost()) ?? "localhost") : "localhost"}:${port}`;
}

/** Asks from outside; tells the status and which slot answered. */
export async function askProxy(
  address: Address,
  path: string,
): Promise<{ status: number; slot: string; body: string }> {
  const host = address.isPublic ? ((await engineHost()) ?? "127.0.0.1") : "127.0.0.1";
  const headers = { "X-Slot": "?", Host: address.domain ?? `localhost:${address.port}` };
  const common = { host, path, headers, timeout: 5000, agent: false as const };
  return new Promise((resolve, reject) => {
    // Who answers is asked here; whether the world trusts the certificate yet is another question.
    const secure = { servername: address.domain, rejectUnauthorized: false };
    const request =
      address.domain === undefined
        ? httpRequest({ ...common, port: address.port })
        : httpsRequest({ ...common, port: 443, ...secure });
    request.once("response", (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => (body += text));
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, slot: String(response.headers["x-slot"]), body }),
      );
    });
    request.once("timeout", () => request.destroy(new Error("no answer within 5 seconds")));
    request.once("error", reject);
    request.end();
  });
}

async function refuseIfAnothers(lease: Lease, application: string, address: Address): Promise<void> {
  const others = (await sitesOf(lease, address)).filter((name) => name !== application);
  if (address.domain === undefined && others.length > 0)
    throw new Fault("port_taken", `${others[0]} is published on port ${address.port}. Choose another one with --port.`);
  const taken = await lease.run('grep -lxF "$2 {" "$1"/*.site 2>/dev/null || true', [
    sitesFolder(address),
    address.domain ?? "-",
  ]);
  const owner = taken.split("\n").find((path) => path !== "" && !path.endsWith(`/${application}.site`));
  if (owner)
    throw new Fault(
      "domain_taken",
      `${address.domain} belongs to ${owner.replace(/.*\/|\.site$/g, "")}, which is published here. Choose another domain.`,
    );
}

async function sitesOf(lease: Lease, address: Address): Promise<string[]> {
  const found = await lease.run('ls "$1" 2>/dev/null || true', [sitesFolder(address)]);
  return found.split("\n").flatMap((name) => (name.endsWith(".site") ? [name.slice(0, -5)] : []));
}

/** Gives whether it changed: a reload that changes nothing would still close idle connections. */
async function writeSite(lease: Lease, application: string, address: Address, site: string): Promise<boolean> {
  const script =
    'mkdir -p "$1"; cat > "$1/new"; if cmp -s "$1/new" "$1/$2"; then rm "$1/new"; else mv "$1/new" "$1/$2"; echo new; fi';
  await lease.run(script, [sitesFolder(address), "Caddyfile"], caddyfile(address));
  return (await lease.run(script, [sitesFolder(address), `${application}.site`], site)) === "new";
}

async function reload(address: Address): Promise<void> {
  const config = ["--config", `${sitesFolder(address)}/Caddyfile`, "--adapter", "caddyfile"];
  await docker(["exec", proxyName(address), "caddy", "reload", ...config]);
}

export async function ensureNetwork(name: string): Promise<void> {
  if ((await dockerOrNothing(["network", "inspect", name])) === undefined) await docker(["network", "create", name]);
}

function caddyfile(address: Address): string {
  return `${caddyOptions("localhost:2019")}
import ${sitesFolder(address)}/*.site
`;
}

/**
 * A site never changes from one release to the next: which slot is served depends on a file. A new configuration would close
 * idle connections, and a request that is just then on its way would be lost.
 */
export function siteFor(application: string, { domain }: Address, port: number): string {
  const slot = (name: Slot) => `
		header @asked X-Slot ${name}
		reverse_proxy ${slotName(application, name)}:${port} {
			lb_try_duration 5s
			lb_try_interval 100ms
			transport http {
				dial_timeout 2s
				keepalive 30s
			}
		}`;
  return `${domain ?? ":8080"} {
	@asked header X-Slot ?
	@green file {
		root /dory/applications/${application}
		try_files /green
	}
	header -Server
	handle @green {${slot("green")}
	}
	handle {${slot("blue")}
	}
	${caddyErrors}
}
`;
}
