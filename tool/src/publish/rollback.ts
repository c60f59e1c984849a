import { Fault } from "../fault.ts";
import type { Application } from "./application.ts";
import { deployUnderLock, findUnchanged, recover, underLock } from "./deploy.ts";
import { type Confirm, collectFacts, type Facts } from "./facts.ts";
import { holderName } from "./holder.ts";
import { findMisfits } from "./migrations.ts";
import type { Progress } from "./progress.ts";
import { refuseOtherProject } from "./project.ts";
import { findEarlierRelease, findLive, type Release } from "./release.ts";
import type { Attempt, Driver, Options, Published } from "./target.ts";

/** What the commands after a publish work with. */
export interface Work {
  driver: Driver;
  application: Application;
  options: Options;
  progress: Progress;
  /** Throws if what was planned before has changed. */
  confirm?: Confirm;
}

/** What a rollback would do. */
export interface PlannedRollback {
  /** The release that is restored. */
  release: string;
  live: string | null;
  at: string;
  commit: string | null;
  /** The services whose secrets are restored too. */
  secretsRestored: string[];
  /** Why its code may not fit the tables. */
  misfits: string[];
  facts: Facts;
}

/** Restores an earlier release, with its image, configuration and secrets, as a new release. */
export async function rollback(work: Work, wanted: string | undefined, isKeepingSecrets: boolean): Promise<Published> {
  const { driver, application, progress, confirm } = work;
  const facts = await readFacts(work);
  await confirm?.(facts);
  return underLock(driver, work, async (lock) => {
    // From here on nobody else publishes.
    if (confirm) await confirm({ ...facts, releases: await driver.history() });
    // What is live, and so what comes before it, is known only when a release that was cut off has ended.
    const { releases, ended } = await recover(driver, progress);
    refuseOtherProject(application, releases);
    const isDone = wanted === undefined && ended?.status === "live" && ended.restores !== undefined;
    if (isDone) return { release: ended, url: await driver.url(ended), isUnchanged: true };
    const attempt = createAttempt(work, releases, wanted, isKeepingSecrets);
    const already = ended ? await findUnchanged(driver, attempt, releases) : undefined;
    return already ?? deployUnderLock(driver, attempt, lock, releases);
  });
}

function createAttempt(
  { application, options, progress }: Work,
  releases: Release[],
  wanted: string | undefined,
  isKeepingSecrets: boolean,
): Attempt {
  const { id, status: _, reason: __, ...found } = findEarlierRelease(releases, wanted);
  const live = findLive(releases);
  const services = isKeepingSecrets && live ? withLiveSecrets(live, found.services) : found.services;
  const others = listOtherSecrets(found.services, live);
  if (others.length > 0 && !isKeepingSecrets)
    progress.note(
      `${id} had other secrets for ${others.join(", ")}: they are restored too. --keep-secrets keeps the current ones.`,
    );
  for (const text of warnOfMisfits(releases, id)) progress.note(text);
  const project = application.id === undefined ? {} : { project: application.id };
  // The tables stay as the newest release made them.
  const newest = releases.findLast(({ migrations }) => migrations)?.migrations ?? {};
  const migrations = Object.entries(newest).map(([name, { last }]) => [name, { last, breaks: [] }]);
  const again = {
    at: new Date().toISOString(),
    by: holderName(),
    ...project,
    restores: found.restores ?? id,
    services,
    ...(migrations.length > 0 && { migrations: Object.fromEntries(migrations) }),
  };
  return { application, release: { ...found, ...again }, options, progress };
}

/** Migrations are not undone: the older code may not fit the tables. */
function warnOfMisfits(releases: Release[], id: string): string[] {
  const misfits = findMisfits(releases, id);
  if (misfits.length === 0) return [];
  return [
    `Warning: the code of ${id} may not fit the tables, which stay as they are: ${misfits.join("; ")}. It is switched to only if it becomes healthy.`,
  ];
}

/** What a rollback would do. Changes nothing. */
export async function planRollback(
  work: Work,
  wanted: string | undefined,
  isKeepingSecrets: boolean,
): Promise<PlannedRollback> {
  const facts = await readFacts(work);
  const found = findEarlierRelease(facts.releases, wanted);
  const live = findLive(facts.releases);
  if (isKeepingSecrets && live) withLiveSecrets(live, found.services);
  const { id, at, commit } = found;
  const secretsRestored = isKeepingSecrets ? [] : listOtherSecrets(found.services, live);
  return {
    release: id,
    live: live?.id ?? null,
    at,
    commit,
    secretsRestored,
    misfits: findMisfits(facts.releases, id),
    facts,
  };
}

/** What a rollback depends on. The target keeps the values of secrets. */
async function readFacts({ driver, application }: Work): Promise<Facts> {
  const releases = await driver.history();
  refuseOtherProject(application, releases);
  return collectFacts(driver, application, releases, {});
}

function listOtherSecrets(services: Release["services"], live: Release | undefined): string[] {
  const now = new Map(live?.services.map(({ name, secretsVersion }) => [name, secretsVersion]));
  return services
    .filter(({ name, secretsVersion }) => (now.get(name) ?? null) !== secretsVersion)
    .map(({ name }) => name);
}

/** The services with the secrets of the live release, which must include all that they read. */
function withLiveSecrets(live: Release, services: Release["services"]): Release["services"] {
  return services.map((service) => {
    const now = live.services.find(({ name }) => name === service.name);
    const missing = service.secrets.find((secret) => !now?.secrets.includes(secret));
    if (missing !== undefined)
      throw new Fault(
        "secrets_gone",
        `${service.name} needs ${missing}, which is not among its current secrets. Roll back without --keep-secrets, or publish.`,
      );
    return { ...service, secretsVersion: service.secrets.length > 0 ? (now?.secretsVersion ?? null) : null };
  });
}

/** Deletes the secrets of all releases except the live one. */
export async function pruneSecrets({ driver, application, options, progress }: Work): Promise<void> {
  await underLock(driver, { options, progress }, async () => {
    const releases = await driver.history();
    refuseOtherProject(application, releases);
    const live = findLive(releases);
    await progress.step("secrets", "Delete the secrets of earlier releases", () =>
      driver.prune(releases, live ? [live] : []),
    );
  });
}

/** Removes an application from a target. It ignores what is already gone, so it can be run again. */
export async function unpublish(
  { driver, application, options, progress }: Work,
  isDataDeleted: boolean,
): Promise<void> {
  await underLock(driver, { options, progress }, async () => {
    refuseOtherProject(application, await driver.history());
    await progress.step("remove", `Remove ${application.name}`, () => driver.remove(isDataDeleted));
  });
}
