import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../fault.ts";
import { searchedLines } from "./cause.ts";
import { findLive, type Release } from "./release.ts";
import {
  explain,
  findCrash,
  listReady,
  type Snapshot,
  whyHopeless,
  whyNotReachable,
  whyNotServing,
} from "./snapshot.ts";
import type { Attempt, Driver, Lock, Options } from "./target.ts";

/** A release that is being deployed, and its progress. */
export interface Deployment {
  driver: Driver;
  attempt: Attempt;
  before: Release[];
  release: Release;
  lock: Lock;
  /** Ids of instances that are older than the release. */
  known: Set<string>;
  isApplied: boolean;
  /** Whether it may have answered requests. */
  hasServed: boolean;
}

/** Waits until `findReason` finds nothing. Each instance that becomes ready restarts the deadline. */
export async function waitUntil(
  deployment: Deployment,
  findReason: (snapshot: Snapshot) => string | undefined,
  deadlineMs: number,
  update: (text: string) => void,
): Promise<void> {
  const { driver, release } = deployment;
  for (let [deadline, ready] = [performance.now() + deadlineMs, 0]; ; await sleep(driver.paceMs)) {
    const snapshot = await observe(driver, release);
    noteServed(deployment, snapshot);
    const reason = findReason(snapshot);
    if (reason === undefined) return;
    update(reason);
    stopIfInterrupted(deployment);
    const now = listReady(snapshot).length;
    if (now > ready) [deadline, ready] = [performance.now() + deadlineMs, now];
    const lost = toleratesCrashes(deployment) ? undefined : whyHopeless(snapshot, deployment.known);
    if (lost !== undefined || performance.now() > deadline) throw await explainUnhealthy(deployment, lost ?? reason);
  }
}

/** Watches the new release for a while; Ctrl-C ends this early. */
export async function watch(deployment: Deployment): Promise<void> {
  const { driver, release, attempt } = deployment;
  const { watchMs, interrupted } = attempt.options;
  if (watchMs === 0) return;
  const first = await observe(driver, release);
  // A crash also shows in the next look: instances count their restarts.
  const paceMs = Math.max(driver.paceMs, Math.min(watchMs / 10, 1000));
  for (const end = performance.now() + watchMs; performance.now() < end && !interrupted.aborted; await sleep(paceMs)) {
    const now = await observe(driver, release);
    const crashed = findCrash(first, now);
    const reason = crashed ?? whyNotServing(now) ?? whyNotReachable(now);
    if (reason !== undefined) throw await explainUnhealthy(deployment, reason, crashed ? "crashed" : "unhealthy");
  }
}

/** Waits until the previous release serves again. Each instance that becomes ready restarts the deadline. */
export async function waitUntilServesAgain(driver: Driver, live: Release, { healthMs }: Options): Promise<void> {
  const deadlineMs = Math.max(healthMs, minimumMs(driver));
  for (let [deadline, ready] = [performance.now() + deadlineMs, 0]; ; await sleep(driver.paceMs)) {
    const snapshot = await observe(driver, live);
    const reason = whyNotServing(snapshot) ?? whyNotReachable(snapshot);
    if (reason === undefined) return;
    const now = listReady(snapshot).length;
    if (now > ready) [deadline, ready] = [performance.now() + deadlineMs, now];
    if (performance.now() > deadline) throw new Fault("rollback_failed", `${live.id} does not serve. ${reason}`);
  }
}

/** The shortest time to wait for the platform's own work, even if the health timeout is shorter. */
export const minimumMs = ({ paceMs }: Driver) => 60 * paceMs;

export const observe = (driver: Driver, release: Release) => withRetries(driver, () => driver.observe(release));

/** A connection that is lost for a moment is no reason to revert. */
const retries = 3;

export async function withRetries<T>({ paceMs }: Pick<Driver, "paceMs">, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (failures > retries || !isTransient(error)) throw error;
    }
    await sleep(paceMs);
  }
}

const isTransient = (error: unknown) => error instanceof Fault && /_(unreachable|lost)$/.test(error.code);

/** When several services are new, some may fail until the ones that they need are ready. */
function toleratesCrashes({ before, release }: Deployment): boolean {
  const old = new Set(findLive(before)?.services.map(({ name }) => name));
  return release.services.filter(({ name }) => !old.has(name)).length > 1;
}

function noteServed(deployment: Deployment, snapshot: Snapshot): void {
  const isSwitching = deployment.driver.switchTo !== undefined;
  if (!isSwitching && listReady(snapshot).some(({ id }) => !deployment.known.has(id))) deployment.hasServed = true;
}

/** After the switch the deployment continues; before it, reverting loses no request. */
export function stopIfInterrupted({ attempt, driver, hasServed }: Deployment): void {
  if (attempt.options.interrupted.aborted && !(driver.switchTo && hasServed))
    throw new Fault("interrupted", "Interrupted before all of it served.");
}

async function explainUnhealthy(deployment: Deployment, reason: string, code = "unhealthy"): Promise<Fault> {
  return explainFault(deployment, new Fault(code, `It is not healthy: ${reason}`));
}

/** The fault with the state of the release. */
export async function explainFault({ driver, release }: Deployment, { code, message }: Fault): Promise<Fault> {
  const snapshot = await driver.observe(release, searchedLines).catch(() => ({ services: [], instances: [] }));
  return new Fault(code, explain(message, snapshot));
}
