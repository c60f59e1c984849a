import { isIP } from "node:net";
import { type Application, isPostgres } from "./application.ts";
import type { Secrets } from "./secrets.ts";

export interface Surroundings {
  /** The engine's machine; undefined if it is this one. */
  engineHost?: string | undefined;
  /** With a domain there is HTTPS. */
  domain?: string | undefined;
  /** The values of each service, by its name. */
  secrets: Record<string, Secrets>;
}

/** What a person should know before it happens; each one sentence or two, without values. */
export function warningsOf({ services }: Application, { engineHost, domain, secrets }: Surroundings): string[] {
  const isOpen = engineHost !== undefined && !isLoopback(engineHost) && domain === undefined;
  const neighbours = services.map(({ name }) => name);
  const exposed = services.flatMap(({ name, env }) =>
    Object.entries({ ...env, ...secrets[name] })
      .filter(([, value]) => isPostgres(value) && !hasTls(value, env) && !isNear(hostOf(value), neighbours))
      .map(([variable]) => `${variable} of ${name}`),
  );
  return [
    ...(isOpen
      ? [
          `The port will be open on ${engineHost} to whoever reaches that machine, as plain HTTP: requests, tokens and data can be read on the way. --domain turns on HTTPS.`,
        ]
      : []),
    ...exposed.map(
      (one) =>
        `${one} leads to a PostgreSQL server outside of a private network without TLS: its password and data can be read on the way. Add ?sslmode=verify-full to the URL.`,
    ),
  ];
}

/** As the backend's driver reads it: without any of these it does not use TLS. */
function hasTls(url: string, { PGSSLMODE }: Record<string, string>): boolean {
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  const mode = parameters.get("sslmode") ?? PGSSLMODE ?? "disable";
  const isOn = ["true", "1"].includes(parameters.get("ssl") ?? "");
  return mode !== "disable" || isOn || parameters.get("sslnegotiation") === "direct";
}

function hostOf(url: string): string {
  const [, host = ""] = /^[^:]+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(url) ?? [];
  const given = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).get("host");
  return (given || host).replaceAll(/[[\]]/g, "").toLowerCase();
}

/** Whether a host is a neighbour, or in a network that others do not see. A path is a socket; a name without dots, of a network's own. */
function isNear(host: string, neighbours: string[]): boolean {
  const isLocalName = !isIP(host) && !host.includes(".");
  return isLocalName || host.startsWith("/") || neighbours.includes(host) || isLoopback(host) || isPrivate(host);
}

const isLoopback = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host.replaceAll(/[[\]]/g, ""));

const isPrivate = (host: string) =>
  isIP(host)
    ? /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/.test(
        host,
      )
    : /\.(local|internal|lan|svc|svc\.cluster\.local|home\.arpa|private|flycast)$/.test(host);
