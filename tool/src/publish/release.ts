import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../fault.ts";

/** The number of instances of each service. */
export interface Scale {
  min: number;
  max: number;
}

/** What a PostgreSQL server has said about itself. */
export interface ConnectionLimit {
  allowed: number;
  /** Whether a pooler answered for it, which shares connections and has a limit of its own. */
  isPooled: boolean;
}

/** One publish, with all that is needed to restore it. It holds no secrets, only the name of their version. */
export interface Release {
  id: string;
  /** Of a removed one, only the data is left. */
  status: "pending" | "live" | "replaced" | "failed" | "removed";
  /** The id of the project that it was published from. */
  project?: string;
  at: string;
  by: string;
  commit: string | null;
  isDirty: boolean;
  services: ReleasedService[];
  /** Instances of each service, where there can be more than one. */
  replicas?: number;
  /** The same, where the platform chooses a number in a range. */
  scale?: Scale;
  /** The release that this one restores. */
  restores?: string;
  /** The key of the hash that names versions of secrets; without it, nobody can guess values. */
  secretsKey?: string;
  /** By service: its last migration, and what those that are new in this release may break for older ones. */
  migrations?: Record<string, { last: string; breaks: string[] }>;
  /** By service: what its PostgreSQL server said about connections when this release was published. */
  limits?: Record<string, ConnectionLimit>;
  /** Why it is not live, if it failed. */
  reason?: string;
}

export interface ReleasedService {
  name: string;
  /** Whether it was built from a folder; other images are prebuilt. */
  isBuilt: boolean;
  /** By digest: an image's id on an engine, `name@sha256:…` in a registry. */
  image: string;
  port: number;
  env: Record<string, string>;
  secrets: string[];
  /** The version of those secrets: a hash of their content. */
  secretsVersion: string | null;
}

/** The next id; ids are never reused. */
export function nextId(releases: Pick<Release, "id">[]): string {
  return `r${Math.max(0, ...releases.map(({ id }) => readNumber(id))) + 1}`;
}

/** How many releases are kept, with their images and secrets. */
export const keptReleases = 5;

/** The releases to keep, oldest first. */
export function retire<T extends Release>(releases: T[]): T[] {
  const failed = releases.filter(({ status }) => status === "failed").slice(-keptReleases);
  const good = releases.filter(({ status }) => status !== "failed").slice(-keptReleases);
  return releases.filter((release) => failed.includes(release) || good.includes(release));
}

/** The releases that were live, and can be again. */
export function listServed<T extends Release>(releases: T[]): T[] {
  return releases.filter(({ status }) => status === "live" || status === "replaced");
}

export const findLive = <T extends Release>(releases: T[]) => releases.find(({ status }) => status === "live");

/** What is recorded of an application that was removed while its data was kept: who may use that data. */
export function markRemoved<T extends Release>(releases: T[]): T[] {
  const last = releases.findLast(({ status }) => status !== "failed");
  return last ? [{ ...last, status: "removed" }] : [];
}

/** The releases with this one live and the one before it replaced. */
export function withLive<T extends Release>(releases: T[], { id }: T): T[] {
  return releases.map((one): T => {
    if (one.id === id) return { ...one, status: "live" };
    return one.status === "live" ? { ...one, status: "replaced" } : one;
  });
}

/** The releases with this one failed, because its publisher was cut off. */
export function withCutOff<T extends Release>(releases: T[], pending: T): T[] {
  const failed: T = { ...pending, status: "failed", reason: "the publisher was cut off" };
  return releases.map((one) => (one === pending ? failed : one));
}

/**
 * The release to roll back to: the named one; otherwise the last one before what is live now. If a rollback has reached
 * the oldest one, the one that was live before that rollback.
 */
export function findEarlierRelease<T extends Release>(releases: T[], wanted?: string): T {
  const live = findLive(releases);
  const now = live?.restores ?? live?.id ?? "r0";
  const good = releases.filter(({ status }) => status === "replaced");
  const isOlder = ({ id, restores }: Release) => restores === undefined && readNumber(id) < readNumber(now);
  const found =
    wanted === undefined
      ? (good.findLast(isOlder) ?? good.findLast(({ id, restores = id }) => restores !== now))
      : good.find(({ id }) => id === wanted);
  if (found) return found;
  throw new Fault("no_release", `There is no ${wanted ?? "earlier release"} to roll back to. See dory releases.`);
}

const readNumber = (id: string) => Number(id.slice(1));

/** Fields that do not affect what runs, and fields that targets add. */
const incidental = [
  "id",
  "status",
  "at",
  "by",
  "commit",
  "isDirty",
  "restores",
  "reason",
  "secretsKey",
  "migrations",
  "limits",
];
const targetFields = ["slot", "container", "secretVersions", "secretDigests", "watchSeconds"];

/** Whether two releases run the same. */
export function isSame(one: Release, other: Release): boolean {
  return isDeepStrictEqual(pickComparable(one), pickComparable(other));
}

function pickComparable({ services, ...release }: Release): object {
  const omit = (object: object, keys: string[]) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
  return {
    ...omit(release, [...incidental, ...targetFields]),
    services: services.map((one) => omit(one, targetFields)),
  };
}

/** A hash to compare configurations by. */
export function hashConfiguration({ services }: Pick<Release, "services">): string {
  const settings = services.map(({ name, port, env, secretsVersion }) => [name, port, env, secretsVersion]);
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 12);
}
