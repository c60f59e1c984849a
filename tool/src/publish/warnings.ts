import { isIP } from "node:net";
import { type Application, isPostgres } from "./application.ts";
import { listUses, readHost, warnOfConnections } from "./connections.ts";
import type { Plan } from "./plan.ts";
import type { Release } from "./release.ts";
import type { Secrets } from "./secrets.ts";

export interface WarningInput {
  /** The engine's machine; undefined if it is this one. */
  engineHost?: string | undefined;
  /** With a domain there is HTTPS. */
  domain?: string | undefined;
  /** The values of each service, by its name. */
  secrets: Record<string, Secrets>;
  /** How many containers each service gets at most; one if undefined. */
  replicas?: number | undefined;
  /** The release that is live, which may know the limits of servers. */
  live?: Release | undefined;
}

/** What the live release may not live with, while and after migrations are applied. */
export function warnOfMigrations({ live, services }: Plan): string[] {
  return services.flatMap(({ name, migrations }) =>
    migrations.flatMap(({ name: migration, breaks }) =>
      breaks.map(
        (one) =>
          `The migration ${migration} of ${name} ${one}. ${live} still serves while it is applied, and may not live with that; nor could a rollback to it. Better do this in two releases: first one whose code works before and after, then this migration.`,
      ),
    ),
  );
}

/** Warnings before a publish, each one or two sentences, without secret values. */
export function listWarnings(
  { services }: Application,
  { engineHost, domain, secrets, replicas = 1, live }: WarningInput,
): string[] {
  const isOpen = engineHost !== undefined && !isLoopback(engineHost) && domain === undefined;
  const neighbours = services.map(({ name }) => name);
  const exposed = services.flatMap(({ name, env }) =>
    Object.entries({ ...env, ...secrets[name] })
      .filter(
        ([, value]) =>
          isPostgres(value) && !hasTls(value, { ...env, ...secrets[name] }) && !isNear(readHost(value), neighbours),
      )
      .map(([variable]) => `${variable} of ${name}`),
  );
  return [
    ...(isOpen
      ? [
          `The port will be open on ${engineHost} to anyone who can reach that machine, over plain HTTP: others can read requests, tokens and data. --domain turns on HTTPS.`,
        ]
      : []),
    ...exposed.map(
      (one) =>
        `${one} connects without TLS to a PostgreSQL server outside a private network: others can read its password and data. Add ?sslmode=verify-full to the URL.`,
    ),
    ...warnOfConnections(listUses(services, secrets, replicas), live),
  ];
}

/** Whether the backend uses TLS: only with one of these parameters, or a CA. */
function hasTls(url: string, { PGSSLMODE, DATABASE_CA }: Record<string, string>): boolean {
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  const mode = parameters.get("sslmode") ?? (DATABASE_CA ? "verify-full" : (PGSSLMODE ?? "disable"));
  const isOn = ["true", "1"].includes(parameters.get("ssl") ?? "") || parameters.has("sslrootcert");
  return mode !== "disable" || isOn || parameters.get("sslnegotiation") === "direct";
}

/** Whether a host is another service or in a private network. A path is a socket, a name without dots is local. */
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
