import { Fault } from "../../fault.ts";
import { liveOf, nextId } from "../release.ts";
import { type Attempt, type Published, ReleaseFault } from "../target.ts";
import { docker } from "./docker.ts";
import type { Lease } from "./lease.ts";
import { askProxy, ensureProxy, leaveProxy, proxyKey, urlOf } from "./proxy.ts";
import { recover, settle } from "./recovery.ts";
import { planRelease, start } from "./starting.ts";
import { type Address, type EngineRelease, otherSlot, switchTo, writeReleases } from "./state.ts";
import { sweep, sweepData, sweepImages } from "./sweep.ts";
import { healthPath, seen, waitUntilHealthy, watch } from "./watching.ts";

/** Makes a release live on the engine: all of it, or nothing. */
export async function releaseUnder(lease: Lease, attempt: Attempt, isRemote: boolean): Promise<Published> {
  const { name } = attempt.application;
  const before = await recover(lease, name);
  const live = liveOf(before);
  const address = addressFor(attempt, live, isRemote);
  const slot = live ? otherSlot(live.slot) : "blue";
  const release = await planRelease(attempt, live, { id: nextId(before), address, slot });
  await writeReleases(lease, name, [...before, release]);
  const undo = (error: Error) => takeBack(lease, name, before, release, error).catch(onlyTell(error, "unchanged"));

  await prepare(lease, attempt, release, live).catch(async (error) => {
    await undo(error);
    throw asReleaseFault(error, "unchanged");
  });
  await makeLive(lease, attempt, release).catch(async (error) => {
    if (live) await switchBack(lease, attempt, live).catch(onlyTell(error, "rollback_failed"));
    await undo(error);
    throw asReleaseFault(error, live ? "rolled_back" : "unchanged");
  });
  await attempt.progress.step("settle", live ? `Drain ${live.id}` : "Mark it live", async () => {
    const kept = await settle(lease, name, [...before, release], release);
    await sweepImages(name, kept);
  });
  return { release: { ...release, status: "live" }, url: await urlOf(address) };
}

/** What was asked for, else what it has, else port 8080. */
function addressFor({ options }: Attempt, live: EngineRelease | undefined, isRemote: boolean): Address {
  const { domain, port } = options;
  if (domain !== undefined) return { domain, port: 443, isPublic: true };
  if (port !== undefined) return { port, isPublic: isRemote };
  return live?.address ?? { port: 8080, isPublic: isRemote };
}

/** Starts the new release beside the old one, where nobody reaches it yet. */
async function prepare(
  lease: Lease,
  attempt: Attempt,
  release: EngineRelease,
  live: EngineRelease | undefined,
): Promise<void> {
  const { application, options, progress } = attempt;
  const stopIfInterrupted = () => {
    if (options.interrupted.aborted)
      throw new ReleaseFault("interrupted", "Interrupted before the switch; nothing was changed.", "unchanged");
  };
  await progress.step("start", `Start ${release.id} beside ${live?.id ?? "nothing"}`, () =>
    start(attempt, release, live),
  );
  stopIfInterrupted();
  await progress.step("health", "Wait until it is healthy", (update) =>
    waitUntilHealthy(release, options.healthMs, update, stopIfInterrupted),
  );
  await ensureProxy(lease, application.name, release.address, release.services[0]?.port ?? 3000);
  for (const { container } of release.services) await docker(["update", "--restart", "unless-stopped", container]);
  stopIfInterrupted();
}

async function makeLive(lease: Lease, attempt: Attempt, release: EngineRelease): Promise<void> {
  const { application, options, progress } = attempt;
  await progress.step("switch", `Switch to ${release.id}`, async () => {
    await switchTo(lease, application.name, release.slot);
    await seen(release, healthPath(application));
  });
  await progress.step("watch", `Watch it for ${options.watchMs / 1000} s`, () =>
    watch(release, healthPath(application), options),
  );
}

/** Removes what a failed release brought, and records why it failed. */
async function takeBack(
  lease: Lease,
  application: string,
  before: EngineRelease[],
  release: EngineRelease,
  { message }: Error,
): Promise<void> {
  const releases: EngineRelease[] = [
    ...before,
    { ...release, status: "failed", reason: message.split("\n", 1)[0] ?? "" },
  ];
  const live = liveOf(before);
  await sweep(application, releases);
  await sweepImages(application, releases);
  await sweepData(application, release, releases);
  if (!live || proxyKey(live.address) !== proxyKey(release.address))
    await leaveProxy(lease, application, release.address);
  await writeReleases(lease, application, releases);
}

async function switchBack(lease: Lease, { application }: Attempt, live: EngineRelease): Promise<void> {
  await switchTo(lease, application.name, live.slot);
  const { status, slot } = await askProxy(live.address, healthPath(application));
  if (slot !== live.slot || status >= 500) throw new Error(`${live.id} answers ${status}`);
}

/** For when the way back is barred too: the engine is gone, or the old release is. */
function onlyTell(cause: Error, outcome: ReleaseFault["outcome"]) {
  return (error: Error) => {
    const message = `${cause.message}\nIt could not be taken back now (${error.message.split("\n", 1)[0]}). Run the same command again when the engine answers: it first ends what this one began.`;
    throw new ReleaseFault(cause instanceof Fault ? cause.code : "release", message, outcome);
  };
}

function asReleaseFault(error: unknown, outcome: ReleaseFault["outcome"]): unknown {
  if (error instanceof ReleaseFault || !(error instanceof Fault)) return error;
  return new ReleaseFault(error.code, error.message, outcome);
}
