import { isPostgres, type Service } from "./application.ts";
import type { ConnectionLimit, Release } from "./release.ts";
import type { Secrets } from "./secrets.ts";

/** What all containers of a service may open together. */
export interface DatabaseUse {
  service: string;
  /** The host of its PostgreSQL server. */
  server: string;
  replicas: number;
  connections: number;
}

/** The services that use PostgreSQL. */
export function listUses(services: Service[], secrets: Record<string, Secrets>, replicas: number): DatabaseUse[] {
  return services.flatMap(({ name, env }) => {
    const { DATABASE_URL: url = "", DATABASE_POOL_SIZE: size = "10" } = { ...env, ...secrets[name] };
    return isPostgres(url)
      ? [{ service: name, server: readHost(url), replicas, connections: replicas * Number(size) }]
      : [];
  });
}

/** What the log of a run that applied migrations says about connections. */
export function readLimit(lines: string[]): ConnectionLimit | undefined {
  const found = lines
    .map((line) => /^The server allows (\d+) connections(; a pooler is in front of it)?\.$/.exec(line))
    .findLast(Boolean);
  return found ? { allowed: Number(found[1]), isPooled: found[2] !== undefined } : undefined;
}

/** PostgreSQL's default of `max_connections`. */
const usualLimit = 100;

/** For the plan: the server was asked only if an earlier release did it. */
export function warnOfConnections(uses: DatabaseUse[], live: Pick<Release, "id" | "limits"> | undefined): string[] {
  return groupUses(uses).flatMap(({ names, services, sum }) => {
    const limit = findLowest(services.map((service) => live?.limits?.[service]));
    if (limit?.isPooled || 2 * sum <= (limit?.allowed ?? usualLimit)) return [];
    const which = limit
      ? `That is more than the ${limit.allowed} that the server allowed when ${live?.id} was published: raise its max_connections, put a pooler before it, or set DATABASE_POOL_SIZE to less.`
      : `Check that max_connections of the server, which often is ${usualLimit}, or the limit of its pooler is higher, or set DATABASE_POOL_SIZE to less.`;
    return [`${names} may open ${sum} connections to PostgreSQL (${factors}), and ${overlap}. ${which}`];
  });
}

/** For the step in which servers were asked: what they allow, compared with what may be opened. */
export function compareConnections(uses: DatabaseUse[], limits: Record<string, ConnectionLimit>): string[] {
  return groupUses(uses).flatMap(({ names, services, sum, replicas }) => {
    const limit = findLowest(services.map((service) => limits[service]));
    if (!limit) return [];
    const use = `${names} may open ${sum} (${factors}), and ${overlap}`;
    if (limit.isPooled)
      return [
        `The database is behind a pooler, whose own limit counts: ${use}. The server allows ${limit.allowed} connections.`,
      ];
    if (2 * sum <= limit.allowed) return [`The server allows ${limit.allowed} connections: ${use}.`];
    const most = Math.floor(limit.allowed / (2 * replicas * services.length));
    const fix = most > 0 ? `set DATABASE_POOL_SIZE to ${most}` : "put a pooler before it";
    return [
      `Warning: the server allows ${limit.allowed} connections, but ${use}. Raise its max_connections, or ${fix}.`,
    ];
  });
}

const factors = "replicas × DATABASE_POOL_SIZE";
const overlap = "twice as many while one release replaces another";

/** By server, because its limit is for all services that use it. */
function groupUses(uses: DatabaseUse[]) {
  return [...new Set(uses.map(({ server }) => server))].map((one) => {
    const sharing = uses.filter(({ server }) => server === one);
    const services = sharing.map(({ service }) => service);
    const sum = sharing.reduce((total, { connections }) => total + connections, 0);
    return { names: services.join(", "), services, sum, replicas: sharing[0]?.replicas ?? 1 };
  });
}

function findLowest(limits: (ConnectionLimit | undefined)[]): ConnectionLimit | undefined {
  const known = limits.filter((limit) => limit !== undefined);
  return known.toSorted((a, b) => a.allowed - b.allowed)[0];
}

/** The host of a PostgreSQL URL, or the folder of its socket. */
export function readHost(url: string): string {
  const [, host = ""] = /^[^:]+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/.exec(url) ?? [];
  const given = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).get("host");
  return (given || host).replaceAll(/[[\]]/g, "").toLowerCase();
}
