import { Fault } from "../fault.ts";
import { mask } from "../mask.ts";
import { findCause } from "./cause.ts";
import { compareConnections, readLimit } from "./connections.ts";
import { listHiddenParts } from "./credentials.ts";
import type { Progress } from "./progress.ts";
import { refuseOtherProject } from "./project.ts";
import {
  type ConnectionLimit,
  findLive,
  isSame,
  nextId,
  type Release,
  retire,
  withCutOff,
  withLive,
} from "./release.ts";
import type { RunResult } from "./run.ts";
import { whyNotReachable, whyNotServing } from "./snapshot.ts";
import { type Attempt, type Driver, type Lock, type Published, ReleaseFault } from "./target.ts";
import {
  type Deployment,
  explainFault,
  minimumMs,
  observe,
  stopIfInterrupted,
  waitUntil,
  waitUntilServesAgain,
  watch,
  withRetries,
} from "./watch.ts";

/**
 * Makes a release live, completely or not at all, at any target: recover → record → secrets → migrate → apply → healthy →
 * watch → live → prune, or revert.
 */
export async function deploy(driver: Driver, attempt: Attempt): Promise<Published> {
  return underLock(driver, attempt, async (lock) => {
    // From here on nobody else publishes.
    await attempt.confirm?.(await driver.history());
    const { releases, ended } = await recover(driver, attempt.progress);
    refuseOtherProject(attempt.application, releases, attempt.options.isTakingOver);
    const already = ended && !attempt.isForced ? await findUnchanged(driver, attempt, releases) : undefined;
    return already ?? deployUnderLock(driver, attempt, lock, releases);
  });
}

/** The same by a publisher that holds the lock and has recovered. */
export async function deployUnderLock(
  driver: Driver,
  attempt: Attempt,
  lock: Lock,
  before: Release[],
): Promise<Published> {
  const release = await driver.plan(attempt, before, nextId(before));
  const deployment = { driver, attempt, before, release, lock, known: new Set<string>(), ...notBegun };
  await driver.record?.([...before, release]);
  await bringUp(deployment).catch(async (error) => {
    throw await revert(deployment, error);
  });
  return markLive(deployment);
}

/** The live release, if it equals this one and serves. */
export async function findUnchanged(
  driver: Driver,
  attempt: Omit<Attempt, "progress">,
  releases: Release[],
): Promise<Published | undefined> {
  const live = findLive(releases);
  const hasPending = releases.some(({ status }) => status === "pending");
  if (!live || hasPending || !isSame(await driver.plan(attempt, releases, nextId(releases)), live)) return undefined;
  const snapshot = await observe(driver, live);
  if ((whyNotServing(snapshot) ?? whyNotReachable(snapshot)) !== undefined) return undefined;
  return { release: live, url: await driver.url(live), isUnchanged: true };
}

const notBegun = { isApplied: false, hasServed: false };
const noLock: Lock = { check: () => {}, release: async () => {} };

/** Runs the work under the lock, and always releases the lock. */
export async function underLock<T>(
  driver: Driver,
  { options, progress }: Pick<Attempt, "options" | "progress">,
  work: (lock: Lock) => Promise<T>,
): Promise<T> {
  const take = driver.lock?.bind(driver);
  const lock = take ? await progress.step("lease", "Take the lease", (update) => take(options, update)) : noLock;
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

export interface Recovered {
  releases: Release[];
  /** The release of a publisher that was cut off, if there was one: it is live or failed now. */
  ended?: Release;
}

/** Completes or reverts the release of a publisher that was cut off. */
export async function recover(driver: Driver, progress: Progress): Promise<Recovered> {
  const releases = await driver.history();
  const pending = releases.find(({ status }) => status === "pending");
  if (!pending) return { releases };
  return progress.step("recover", `End ${pending.id}, whose publisher was cut off`, async () => {
    const snapshot = await observe(driver, pending);
    const isLive = (whyNotServing(snapshot) ?? whyNotReachable(snapshot)) === undefined;
    // Does not wait for the live one: it may be unhealthy itself, and the new release its fix.
    if (!isLive) await driver.revert(pending, findLive(releases));
    const kept = retire(isLive ? withLive(releases, pending) : withCutOff(releases, pending));
    await driver.record?.(kept);
    // Nothing may follow that would remove the release before it.
    if (isLive) await prune(driver, kept, progress);
    const ended = kept.find(({ id }) => id === pending.id) ?? pending;
    return { releases: kept, ended };
  });
}

async function bringUp(deployment: Deployment): Promise<void> {
  const { driver, attempt, before } = deployment;
  const { options, progress, secrets } = attempt;
  const live = findLive(before);
  if (deployment.release.services.some(({ secretsVersion }) => secretsVersion !== null))
    deployment.release = await progress.step("secrets", "Pass the secrets", () =>
      driver.putSecrets(deployment.release, secrets, live),
    );
  const { release } = deployment;
  stopIfInterrupted(deployment);
  deployment.known = new Set((await observe(driver, release)).instances.map(({ id }) => id));
  await migrate(deployment);
  stopIfInterrupted(deployment);
  await progress.step("start", live ? `Start ${release.id} next to ${live.id}` : `Start ${release.id}`, () =>
    apply(deployment),
  );
  stopIfInterrupted(deployment);
  await progress.step("health", "Wait until it is healthy", (update) =>
    waitUntil(deployment, whyNotServing, options.healthMs, update),
  );
  stopIfInterrupted(deployment);
  await confirmServing(deployment);
  await progress.step("watch", `Watch it for ${options.watchMs / 1000} s`, () => watch(deployment));
}

/**
 * Applies migrations once, while the live release serves: if that fails, nothing was switched. It also asks the servers of
 * services with replicas how many connections they allow.
 */
async function migrate(deployment: Deployment): Promise<void> {
  const { attempt, release } = deployment;
  // A target may restore the old release itself, which restored nothing when it was new.
  if (attempt.release.restores !== undefined) return;
  const { uses = [], progress } = attempt;
  const migrated = Object.keys(release.migrations ?? {});
  const asked = uses.filter(({ replicas }) => replicas > 1).map(({ service }) => service);
  const limits: Record<string, ConnectionLimit> = {};
  if (migrated.length + asked.length > 0) await startNeeded(deployment);
  for (const service of new Set([...migrated, ...asked])) {
    const isMigrated = migrated.includes(service);
    const title = isMigrated ? `Apply the migrations of ${service}` : `Ask the database of ${service} for its limit`;
    const limit = await progress.step("migrate", title, (update) => runOnce(deployment, service, isMigrated, update));
    if (limit) limits[service] = limit;
  }
  if (Object.keys(limits).length === 0) return;
  deployment.release = { ...deployment.release, limits };
  const isTold = (text: string) => asked.length > 0 || text.startsWith("Warning");
  for (const text of compareConnections(uses, limits).filter(isTold)) progress.note(text);
}

/** Runs the new image of a service to its end. Returns what its database says about connections. */
async function runOnce(
  deployment: Deployment,
  service: string,
  isMigrated: boolean,
  update: (text: string) => void,
): Promise<ConnectionLimit | undefined> {
  const { driver, attempt, before, release, lock } = deployment;
  const live = findLive(before);
  await lock.check();
  // It may have made a volume.
  deployment.isApplied ||= live === undefined;
  const result = await driver.migrate(release, service, live, update);
  // Backends wait for a database that does not answer yet.
  if (!result.isDone && isMigrated) throw await explainRun(deployment, service, result);
  for (const line of result.lines)
    if (/^\d{4}-\S+ {2}applied now$/.test(line)) attempt.progress.note(`${service}: ${line}`);
  return readLimit(result.lines);
}

/** New services that were not built from a folder start before the others: one of them may be the database. */
async function startNeeded(deployment: Deployment): Promise<void> {
  const { driver, attempt, before, release, lock } = deployment;
  const old = new Set(findLive(before)?.services.map(({ name }) => name));
  const needed = release.services.filter(({ name, isBuilt }) => !isBuilt && !old.has(name)).map(({ name }) => name);
  const start = driver.startNeeded?.bind(driver);
  if (needed.length === 0 || !start) return;
  await attempt.progress.step("needed", `Start ${needed.join(", ")} first`, async () => {
    await lock.check();
    deployment.isApplied = true;
    await start(release, before);
  });
}

/** Why migrations were not applied. What they needed may not have started: then the state of the release says more. */
async function explainRun(deployment: Deployment, service: string, { lines, reason }: RunResult): Promise<Fault> {
  const cause = findCause(lines);
  const parts =
    reason === undefined ? [cause ?? "its log is empty"] : [reason, ...(cause ? [`its log says: ${cause}`] : [])];
  const fault = new Fault("migration", `The migrations of ${service} failed: ${parts.join("; ")}`);
  return findLive(deployment.before) === undefined && deployment.release.services.length > 1
    ? explainFault(deployment, fault)
    : fault;
}

/** Some platforms wait for a release themselves, and report little if it fails. */
async function apply(deployment: Deployment): Promise<void> {
  await deployment.lock.check();
  deployment.isApplied = true;
  await deployment.driver.apply(deployment.release, deployment.before).catch(async (error) => {
    throw error instanceof Fault && !isLeaseFault(error) ? await explainFault(deployment, error) : error;
  });
}

/** Moves the traffic, if the target has a switch, and checks from outside that this release answers. */
async function confirmServing(deployment: Deployment): Promise<void> {
  const { driver, attempt, release, lock } = deployment;
  await attempt.progress.step("switch", `Switch to ${release.id}`, async (update) => {
    await lock.check();
    deployment.hasServed = true;
    await driver.switchTo?.(release);
    await waitUntil(deployment, whyNotReachable, minimumMs(driver), update);
  });
}

/** Another publisher is at work: its release must not be reverted. */
const isLeaseFault = (error: unknown) => error instanceof Fault && /^lease_/.test(error.code);

/** Reverts the release, records why, and returns the fault to report. */
async function revert(deployment: Deployment, error: Error): Promise<Error> {
  const { driver, attempt, before, release, lock, isApplied, hasServed } = deployment;
  const live = findLive(before);
  const cause = error instanceof Fault ? new Fault(error.code, formatMessage(error.message, deployment)) : error;
  const failed: Release = { ...release, status: "failed", reason: cause.message.split("\n", 1)[0] ?? "" };
  try {
    if (isLeaseFault(cause)) return await withdraw(deployment, cause);
    await lock.check();
    if (isApplied)
      await attempt.progress.step("revert", live ? `Roll back to ${live.id}` : "Remove it again", async () => {
        await driver.revert(release, live);
        if (live) await waitUntilServesAgain(driver, live, attempt.options);
      });
    const kept = retire([...withoutRelease(before, release), failed]);
    await driver.record?.(kept);
    await prune(driver, kept, attempt.progress);
  } catch (error) {
    return isLeaseFault(error) ? withdraw(deployment, error as Fault) : revertFault(deployment, cause, error as Error);
  }
  if (!(cause instanceof Fault)) return cause;
  return new ReleaseFault(cause.code, cause.message, live && hasServed ? "rolled_back" : "unchanged");
}

/**
 * A publisher that lost the lease, perhaps because it slept, may have started something since. It takes the lease again,
 * and makes what is live by now run as before.
 */
async function withdraw({ driver, attempt, release, isApplied }: Deployment, cause: Error): Promise<Error> {
  if (!isApplied || !driver.lock) return cause;
  const options = { ...attempt.options, isWaiting: true };
  const failed = await underLock(driver, { ...attempt, options }, async () => {
    const live = findLive((await recover(driver, attempt.progress)).releases);
    if (live?.id !== release.id) await driver.revert(release, live);
  }).then(
    () => undefined,
    (error: Error) => error,
  );
  if (!failed) return cause;
  const advice = `What it had started may still run: ${failed.message}\nThe next dory publish removes it.`;
  return new Fault(cause instanceof Fault ? cause.code : "lease_lost", `${cause.message} ${advice}`);
}

/** The message without secrets, which a log may repeat; says where new secrets stay. */
function formatMessage(message: string, { driver, attempt, before }: Deployment): string {
  const values = Object.values(attempt.secrets ?? {}).flatMap(Object.values);
  const remains = values.length > 0 && findLive(before) ? driver.secretsRemain : undefined;
  return [mask(message, values.flatMap(listHiddenParts)), ...(remains === undefined ? [] : [remains])].join("\n");
}

/** The release stays pending: the next publish recovers it first. */
function revertFault({ driver, isApplied, hasServed, before }: Deployment, cause: Error, error: Error): Error {
  const isUntouched = !isApplied || (driver.switchTo !== undefined && !hasServed);
  const live = findLive(before)?.id;
  const advice = `Rolling back${live ? ` to ${live}` : ""} failed too: ${error.message}\nRun the same command again: it first cleans up this release.`;
  const code = isUntouched && cause instanceof Fault ? cause.code : "rollback_failed";
  return new ReleaseFault(code, `${cause.message}\n${advice}`, isUntouched ? "unchanged" : "rollback_failed");
}

/** A rollback may reuse the old release itself, which is then in `before`. */
const withoutRelease = (before: Release[], { id }: Release) => before.filter((one) => one.id !== id);

/** The release serves already, so failures from here on are only noted: the next publish retries. */
async function markLive({ driver, attempt, before, release, lock }: Deployment): Promise<Published> {
  const { progress } = attempt;
  const old = findLive(before);
  const kept = retire(withLive([...withoutRelease(before, release), release], release));
  await progress.step("live", old ? `Mark it live, drain ${old.id}` : "Mark it live", async () => {
    await lock.check();
    const isRecorded = await (driver.record?.(kept) ?? Promise.resolve()).then(
      () => true,
      ({ message }: Error) => void progress.note(`Not recorded: ${message}`),
    );
    // Otherwise another publisher may be at work, and what seems old may be its release.
    if (isRecorded) await prune(driver, kept, progress);
  });
  return { release: findLive(kept) ?? release, url: await withRetries(driver, () => driver.url(release)) };
}

async function prune(driver: Driver, releases: Release[], progress: Progress): Promise<void> {
  await driver
    .prune(releases, releases)
    .catch(({ message }: Error) => progress.note(`Not everything old was removed: ${message}`));
}
