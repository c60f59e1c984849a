import { collectValues, type Given } from "./allowed.ts";
import { type Application, readApplication } from "./application.ts";
import { searchedLines } from "./cause.ts";
import type { Confirm } from "./facts.ts";
import { readOptions } from "./options.ts";
import { explainInstance, type Pending, type Status, withoutKey } from "./plan.ts";
import type { Progress } from "./progress.ts";
import { refuseOtherProject } from "./project.ts";
import { type PlannedPublish, type Publishing, planPublish, publish } from "./publish.ts";
import { checkRegistry } from "./reference.ts";
import { findLive, type Release } from "./release.ts";
import type { Destination, PublishRequest, RollbackRequest } from "./request.ts";
import { type PlannedRollback, planRollback, rollback, type Work } from "./rollback.ts";
import { type Driver, type Published, ReleaseFault } from "./target.ts";
import { loadTarget, previews } from "./targets.ts";

// What the front ends do with publishing: each reads a request in its own way, and shows events in its own way.

/** How work is reported and ended. */
export interface Watcher {
  progress: Progress;
  /** Reverts what was begun, and ends. */
  signal: AbortSignal;
  /** Throws if what was planned has changed. */
  confirm?: Confirm;
}

/** Publishes a project. */
export async function publishProject(request: PublishRequest, given: Given, watcher: Watcher): Promise<Published> {
  const publishing = await openPublishing(request, given, watcher);
  return withResult(watcher.progress, () => publish(publishing));
}

/** What a publish would do. Changes nothing. */
export async function planProject(request: PublishRequest, given: Given, watcher: Watcher): Promise<PlannedPublish> {
  return planPublish(await openPublishing(request, given, watcher));
}

async function openPublishing(request: PublishRequest, given: Given, watcher: Watcher): Promise<Publishing> {
  const { folder, to, smoke = true, force = false } = request;
  const { progress, signal, confirm } = watcher;
  const application = readApplication(folder);
  const values = await collectValues(application, given);
  const registry = request.registry ?? application.registry;
  if (registry !== undefined) checkRegistry(registry);
  const target = await loadTarget(to);
  if (previews.includes(to))
    progress.note(`${to} is a preview: it has not been run on the real platform yet. Try --plan first.`);
  return {
    application,
    target,
    targetName: to,
    given: values,
    progress,
    options: readOptions(request, signal),
    ...(registry === undefined ? {} : { registry }),
    ...(confirm === undefined ? {} : { confirm }),
    isSmoked: smoke,
    isForced: force,
  };
}

/** Makes an earlier release live again. */
export async function rollBackProject(request: RollbackRequest, watcher: Watcher): Promise<Published> {
  const work = await openWork(request, watcher);
  return withResult(watcher.progress, () => rollback(work, request.release, request["keep-secrets"] ?? false));
}

/** What a rollback would do. Changes nothing. */
export async function planRollbackProject(request: RollbackRequest, watcher: Watcher): Promise<PlannedRollback> {
  return planRollback(await openWork(request, watcher), request.release, request["keep-secrets"] ?? false);
}

/** What the commands after a publish work with. */
export async function openWork(destination: Destination, { progress, signal, confirm }: Watcher): Promise<Work> {
  const target = await loadTarget(destination.to);
  const application = readApplication(destination.folder);
  const options = readOptions(destination, signal);
  const driver = await target.open(application);
  const work = { driver, application, options, progress };
  return confirm === undefined ? work : { ...work, confirm };
}

/** What is live, and what a publisher has begun; neither, if there is no such release. */
export async function readStatus({ driver, application }: Work): Promise<{ live?: Status; pending?: Pending }> {
  const releases = await readHistory(driver, application);
  const live = findLive(releases);
  const begun = releases.find(({ status }) => status === "pending");
  return {
    ...(live && { live: await readLive(driver, live) }),
    ...(begun && { pending: { release: withoutKey(begun), holder: (await driver.findHolder?.()) ?? null } }),
  };
}

async function readLive(driver: Driver, live: Release): Promise<Status> {
  const { instances, ...snapshot } = await driver.observe(live, searchedLines);
  return {
    release: withoutKey(live),
    url: await driver.url(live),
    ...snapshot,
    instances: instances.map(explainInstance),
  };
}

/** The releases of this project. */
export async function readHistory(driver: Driver, application: Application): Promise<Release[]> {
  const releases = await driver.history();
  refuseOtherProject(application, releases);
  return releases;
}

/** The last event is the result, whether it is good or bad. */
async function withResult(progress: Progress, work: () => Promise<Published>): Promise<Published> {
  try {
    const published = await work();
    const { release, url, isUnchanged = false } = published;
    progress.event("result", { ok: true, release: release.id, url, isUnchanged });
    return published;
  } catch (error) {
    if (error instanceof ReleaseFault) {
      const { code, message, outcome } = error;
      progress.event("result", { ok: false, code, message, outcome });
    }
    throw error;
  }
}
