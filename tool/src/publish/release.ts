import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../fault.ts";

/** What was asked to serve, at one moment: enough to bring it back. It holds no secret, only the name of a version. */
export interface Release {
  id: string;
  status: "pending" | "live" | "replaced" | "failed";
  at: string;
  by: string;
  commit: string | null;
  isDirty: boolean;
  services: ReleasedService[];
  /** How many of each service, where there can be more than one. */
  replicas?: number;
  /** The release that this one brings back. */
  restores?: string;
  /** The key by which versions of secrets are named; nobody can try values against a version without it. */
  secretsKey?: string;
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
  /** The version of those secrets, named by their content. */
  secretsVersion: string | null;
}

/** The next id: numbers never come again. */
export function nextId(releases: Pick<Release, "id">[]): string {
  return `r${Math.max(0, ...releases.map(({ id }) => numberOf(id))) + 1}`;
}

/** How many releases that were live are kept, with their images and secrets. */
export const kept = 5;

/** Of releases, oldest first, those that are kept. */
export function retire<T extends Release>(releases: T[]): T[] {
  const failed = releases.filter(({ status }) => status === "failed").slice(-kept);
  const good = releases.filter(({ status }) => status !== "failed").slice(-kept);
  return releases.filter((release) => failed.includes(release) || good.includes(release));
}

/** Those that served, and can serve again. */
export function servedOf<T extends Release>(releases: T[]): T[] {
  return releases.filter(({ status }) => status === "live" || status === "replaced");
}

export const liveOf = <T extends Release>(releases: T[]) => releases.find(({ status }) => status === "live");

/** The releases once this one is live: what was live before is replaced. */
export function withLive<T extends Release>(releases: T[], { id }: T): T[] {
  return releases.map((one): T => {
    if (one.id === id) return { ...one, status: "live" };
    return one.status === "live" ? { ...one, status: "replaced" } : one;
  });
}

/** The releases once it is clear that the publisher of this one never came to its end. */
export function withCutOff<T extends Release>(releases: T[], pending: T): T[] {
  const failed: T = { ...pending, status: "failed", reason: "the publisher was cut off" };
  return releases.map((one) => (one === pending ? failed : one));
}

/** The release that a rollback brings back: the named one, or the last that was live before what is live now. */
export function releaseBefore<T extends Release>(releases: T[], wanted?: string): T {
  const live = liveOf(releases);
  const now = live?.restores ?? live?.id ?? "r0";
  const isOlder = ({ id, restores }: Release) => restores === undefined && numberOf(id) < numberOf(now);
  const good = releases.filter(({ status }) => status === "replaced");
  const found = good.findLast((release) => (wanted === undefined ? isOlder(release) : release.id === wanted));
  if (found) return found;
  throw new Fault("no_release", `There is no ${wanted ?? "earlier release"} to go back to. See dory releases.`);
}

const numberOf = (id: string) => Number(id.slice(1));

/** What differs from one release to the next without a difference in what runs; and what targets note for themselves. */
const passing = ["id", "status", "at", "by", "commit", "isDirty", "restores", "reason", "secretsKey"];
const noted = ["slot", "container", "secretVersions", "secretDigests"];

/** Whether two releases run the same, in the same way. */
export function isSame(one: Release, other: Release): boolean {
  return isDeepStrictEqual(essenceOf(one), essenceOf(other));
}

function essenceOf({ services, ...release }: Release): object {
  const without = (object: object, keys: string[]) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
  return { ...without(release, [...passing, ...noted]), services: services.map((one) => without(one, noted)) };
}

/** Names a configuration, so that two can be told apart. */
export function configurationHash({ services }: Pick<Release, "services">): string {
  const settings = services.map(({ name, port, env, secretsVersion }) => [name, port, env, secretsVersion]);
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 12);
}
