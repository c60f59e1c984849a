import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../fault.ts";
import { liveOf, type Release } from "./release.ts";
import { crashedBetween, explain, hopeless, notSeen, notServing, readyIn, type Snapshot } from "./snapshot.ts";
import type { Attempt, Driver, Lock, Options } from "./target.ts";

/** A release on its way, and how far it came. */
export interface Deployment {
  driver: Driver;
  attempt: Attempt;
  before: Release[];
  release: Release;
  lock: Lock;
  /** The instances that were there before: what becomes of them says nothing about the release. */
  known: Set<string>;
  isApplied: boolean;
  /** Whether somebody may have been answered by it. */
  hasServed: boolean;
}

/** Looks until there is nothing in the way. Every instance that becomes ready starts the time again. */
export async function until(
  deployment: Deployment,
  inTheWay: (snapshot: Snapshot) => string | undefined,
  deadlineMs: number,
  update: (text: string) => void,
): Promise<void> {
  const { driver, release } = deployment;
  for (let [deadline, ready] = [Date.now() + deadlineMs, 0]; ; await sleep(driver.paceMs)) {
    const snapshot = await look(driver, release);
    noteServed(deployment, snapshot);
    const reason = inTheWay(snapshot);
    if (reason === undefined) return;
    update(reason);
    stopIfInterrupted(deployment);
    const now = readyIn(snapshot).length;
    if (now > ready) [deadline, ready] = [Date.now() + deadlineMs, now];
    const lost = isPatient(deployment) ? undefined : hopeless(snapshot, deployment.known);
    if (lost !== undefined || Date.now() > deadline) throw await unhealthy(deployment, lost ?? reason);
  }
}

/** Looks after the new release for a while; with Ctrl-C it is enough. */
export async function watch(deployment: Deployment): Promise<void> {
  const { driver, release, attempt } = deployment;
  const { watchMs, interrupted } = attempt.options;
  if (watchMs === 0) return;
  const first = await look(driver, release);
  for (const end = Date.now() + watchMs; Date.now() < end && !interrupted.aborted; await sleep(driver.paceMs)) {
    const now = await look(driver, release);
    const crashed = crashedBetween(first, now);
    const reason = crashed ?? notServing(now) ?? notSeen(now);
    if (reason !== undefined) throw await unhealthy(deployment, reason, crashed ? "crashed" : "unhealthy");
  }
}

/** Waits for the release before to serve again; there too, every instance that becomes ready starts the time again. */
export async function untilBack(driver: Driver, live: Release, { healthMs }: Options): Promise<void> {
  const deadlineMs = Math.max(healthMs, leastMs(driver));
  for (let [deadline, ready] = [Date.now() + deadlineMs, 0]; ; await sleep(driver.paceMs)) {
    const snapshot = await look(driver, live);
    const reason = notServing(snapshot) ?? notSeen(snapshot);
    if (reason === undefined) return;
    const now = readyIn(snapshot).length;
    if (now > ready) [deadline, ready] = [Date.now() + deadlineMs, now];
    if (Date.now() > deadline) throw new Fault("rollback_failed", `${live.id} does not serve. ${reason}`);
  }
}

/** What a platform always gets for its own part, however little time a release is given. */
export const leastMs = ({ paceMs }: Driver) => 60 * paceMs;

export const look = (driver: Driver, release: Release) => patiently(driver, () => driver.observe(release));

/** So many times in a row it may fail: a connection that is lost for a moment is no reason to go back. */
const patience = 3;

export async function patiently<T>({ paceMs }: Driver, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (failures > patience || !isPassing(error)) throw error;
    }
    await sleep(paceMs);
  }
}

const isPassing = (error: unknown) => error instanceof Fault && /_(unreachable|lost)$/.test(error.code);

/** When several services are new, some may fail for a while: what they need is new too, and may not be ready. */
function isPatient({ before, release }: Deployment): boolean {
  const old = new Set(liveOf(before)?.services.map(({ name }) => name));
  return release.services.filter(({ name }) => !old.has(name)).length > 1;
}

function noteServed(deployment: Deployment, snapshot: Snapshot): void {
  const isSwitching = deployment.driver.switchTo !== undefined;
  if (!isSwitching && readyIn(snapshot).some(({ id }) => !deployment.known.has(id))) deployment.hasServed = true;
}

/** After the switch it goes on to the end; before, it can be undone without anybody noticing. */
export function stopIfInterrupted({ attempt, driver, hasServed }: Deployment): void {
  if (attempt.options.interrupted.aborted && !(driver.switchTo && hasServed))
    throw new Fault("interrupted", "Interrupted before all of it served.");
}

async function unhealthy(deployment: Deployment, reason: string, code = "unhealthy"): Promise<Fault> {
  return explained(deployment, new Fault(code, `It is not healthy: ${reason}`));
}

/** A fault with what the platform shows of the release. */
export async function explained({ driver, release }: Deployment, { code, message }: Fault): Promise<Fault> {
  const snapshot = await driver.observe(release, 8).catch(() => ({ services: [], instances: [] }));
  return new Fault(code, explain(message, snapshot));
}
