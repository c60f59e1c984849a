import { Fault } from "../fault.ts";
import { mask } from "../mask.ts";
import type { Progress } from "./progress.ts";
import { liveOf, nextId, type Release, retire, withCutOff, withLive } from "./release.ts";
import { notSeen, notServing } from "./snapshot.ts";
import { type Attempt, type Driver, type Lock, type Published, ReleaseFault } from "./target.ts";
import {
  type Deployment,
  explained,
  leastMs,
  look,
  patiently,
  stopIfInterrupted,
  until,
  untilBack,
  watch,
} from "./watch.ts";

/**
 * Makes a release live, all of it or nothing, at any target: recover → record → secrets → apply → healthy → watch → live → prune,
 * or revert.
 */
export async function deploy(driver: Driver, attempt: Attempt): Promise<Published> {
  return underLock(driver, attempt, async (lock) => {
    const before = await recover(driver, attempt.progress);
    const release = await driver.plan(attempt, before, nextId(before));
    const deployment = { driver, attempt, before, release, lock, known: new Set<string>(), ...notBegun };
    await driver.record?.([...before, release]);
    await bringUp(deployment).catch(async (error) => {
      throw await revert(deployment, error);
    });
    return markLive(deployment);
  });
}

const notBegun = { isApplied: false, hasServed: false };
const noLock: Lock = { check: () => {}, release: async () => {} };

/** Works under the lock, and releases it whatever comes of the work. */
export async function underLock<T>(
  driver: Driver,
  { options, progress }: Pick<Attempt, "options" | "progress">,
  work: (lock: Lock) => Promise<T>,
): Promise<T> {
  const take = driver.lock?.bind(driver);
  const lock = take ? await progress.step("lease", "Take the lease", () => take(options)) : noLock;
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

/** Ends what a publisher that was cut off left behind, one way or the other. Returns the releases. */
export async function recover(driver: Driver, progress: Progress): Promise<Release[]> {
  const releases = await driver.history();
  const pending = releases.find(({ status }) => status === "pending");
  if (!pending) return releases;
  return progress.step("recover", `End ${pending.id}, whose publisher was cut off`, async () => {
    const snapshot = await look(driver, pending);
    const isLive = (notServing(snapshot) ?? notSeen(snapshot)) === undefined;
    // The live one is not waited for: it may be sick itself, and what is published now its cure.
    if (!isLive) await driver.revert(pending, liveOf(releases));
    const kept = retire(isLive ? withLive(releases, pending) : withCutOff(releases, pending));
    await driver.record?.(kept);
    return kept;
  });
}

async function bringUp(deployment: Deployment): Promise<void> {
  const { driver, attempt, before } = deployment;
  const { options, progress, secrets } = attempt;
  const live = liveOf(before);
  if (deployment.release.services.some(({ secretsVersion }) => secretsVersion !== null))
    deployment.release = await progress.step("secrets", "Pass the secrets", () =>
      driver.putSecrets(deployment.release, secrets, live),
    );
  const { release } = deployment;
  stopIfInterrupted(deployment);
  deployment.known = new Set((await look(driver, release)).instances.map(({ id }) => id));
  await progress.step("start", `Start ${release.id} beside ${live?.id ?? "nothing"}`, () => apply(deployment));
  stopIfInterrupted(deployment);
  await progress.step("health", "Wait until it is healthy", (update) =>
    until(deployment, notServing, options.healthMs, update),
  );
  stopIfInterrupted(deployment);
  await confirmServing(deployment);
  await progress.step("watch", `Watch it for ${options.watchMs / 1000} s`, () => watch(deployment));
}

/** Some platforms wait for a release by themselves, and say little about one that fails. */
async function apply(deployment: Deployment): Promise<void> {
  await deployment.lock.check();
  deployment.isApplied = true;
  await deployment.driver.apply(deployment.release, deployment.before).catch(async (error) => {
    throw error instanceof Fault && !isAnothers(error) ? await explained(deployment, error) : error;
  });
}

/** Moves the traffic, where there is a switch, and sees from outside that the intended release answers. */
async function confirmServing(deployment: Deployment): Promise<void> {
  const { driver, attempt, release, lock } = deployment;
  await attempt.progress.step("switch", `Switch to ${release.id}`, async (update) => {
    await lock.check();
    deployment.hasServed = true;
    await driver.switchTo?.(release);
    await until(deployment, notSeen, leastMs(driver), update);
  });
}

/** Whether another publisher is at work: then what is there is its own, and nothing of it may be undone. */
const isAnothers = (error: unknown) => error instanceof Fault && /^lease_/.test(error.code);

/** Goes back, records why, and returns the fault that reports how it ended. */
async function revert(deployment: Deployment, error: Error): Promise<Error> {
  const { driver, attempt, before, release, lock, isApplied, hasServed } = deployment;
  const live = liveOf(before);
  const cause = error instanceof Fault ? new Fault(error.code, told(error.message, deployment)) : error;
  const failed: Release = { ...release, status: "failed", reason: cause.message.split("\n", 1)[0] ?? "" };
  try {
    if (isAnothers(cause)) return cause;
    await lock.check();
    if (isApplied)
      await attempt.progress.step("revert", live ? `Go back to ${live.id}` : "Remove it again", async () => {
        await driver.revert(release, live);
        if (live) await untilBack(driver, live, attempt.options);
      });
    const kept = retire([...others(before, release), failed]);
    await driver.record?.(kept);
    await tidy(driver, kept, attempt.progress);
  } catch (error) {
    return isAnothers(error) ? (error as Fault) : notReverted(deployment, cause, error as Error);
  }
  if (!(cause instanceof Fault)) return cause;
  return new ReleaseFault(cause.code, cause.message, live && hasServed ? "rolled_back" : "unchanged");
}

/** Without the values of secrets, which a platform or a log may repeat; and with what becomes of them. */
function told(message: string, { driver, attempt, before }: Deployment): string {
  const values = Object.values(attempt.secrets ?? {}).flatMap(Object.values);
  const remains = values.length > 0 && liveOf(before) ? driver.secretsRemain : undefined;
  return [mask(message, values), ...(remains === undefined ? [] : [remains])].join("\n");
}

/** The release stays pending: the next publish begins with ending it. */
function notReverted({ driver, isApplied, hasServed, before }: Deployment, cause: Error, error: Error): Error {
  const isUntouched = !isApplied || (driver.switchTo !== undefined && !hasServed);
  const live = liveOf(before)?.id;
  const advice = `Going back${live ? ` to ${live}` : ""} failed too: ${error.message}\nRun the same command again: it first ends what this one began.`;
  const code = isUntouched && cause instanceof Fault ? cause.code : "rollback_failed";
  return new ReleaseFault(code, `${cause.message}\n${advice}`, isUntouched ? "unchanged" : "rollback_failed");
}

/** Where a release that is brought back is the old one itself, it is among those before. */
const others = (before: Release[], { id }: Release) => before.filter((one) => one.id !== id);

/** What serves is decided by now: what cannot be recorded or removed is left to the next publish. */
async function markLive({ driver, attempt, before, release, lock }: Deployment): Promise<Published> {
  const { progress } = attempt;
  const old = liveOf(before);
  const kept = retire(withLive([...others(before, release), release], release));
  await progress.step("live", old ? `Mark it live, drain ${old.id}` : "Mark it live", async () => {
    await lock.check();
    await driver.record?.(kept).catch(({ message }: Error) => progress.note(`Not recorded: ${message}`));
    await tidy(driver, kept, progress);
  });
  return { release: liveOf(kept) ?? release, url: await patiently(driver, () => driver.url(release)) };
}

async function tidy(driver: Driver, releases: Release[], progress: Progress): Promise<void> {
  await driver
    .prune(releases, releases)
    .catch(({ message }: Error) => progress.note(`Not everything old was removed: ${message}`));
}
