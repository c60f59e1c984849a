import { setTimeout as sleep } from "node:timers/promises";
import { searchedLines } from "../cause.ts";
import { dockerOrNothing } from "../engine/docker.ts";
import { lateReason, migrationMs, type RunResult } from "../run.ts";
import { runService, serviceName } from "./names.ts";
import { readLog } from "./observe.ts";
import type { SwarmService } from "./release.ts";
import { deployServices, findTasks, type Task, waitUntilGone } from "./service.ts";
import { specifyRun } from "./specification.ts";

/** How long a task may wait for a node. */
const pendingMs = 60_000;

/** Runs a service once, as a job on any node that suits it, to apply its migrations: in the network of the application. */
export async function runMigrations(application: string, service: SwarmService, paceMs: number): Promise<RunResult> {
  const name = serviceName(application, runService);
  // A publisher that was cut off may have left one.
  await removeRun(name);
  try {
    await deployServices(application, { [runService]: specifyRun(application, service.specification) });
    return await waitForEnd(name, paceMs);
  } finally {
    await removeRun(name);
  }
}

async function waitForEnd(name: string, paceMs: number): Promise<RunResult> {
  for (const start = performance.now(); ; await sleep(paceMs)) {
    const [task] = await findTasks([name]);
    const waitedMs = performance.now() - start;
    const isLate = waitedMs > migrationMs;
    const isStuck = waitedMs > pendingMs && (task === undefined || task.Status.State === "pending");
    if (!isLate && !isStuck && !(task && hasEnded(task))) continue;
    const lines = task ? await readLog(task.ID, searchedLines) : [];
    if (task?.Status.State === "complete") return { isDone: true, lines };
    const reason = isLate ? lateReason : whyNotRun(task);
    return { isDone: false, lines, ...(reason === undefined ? {} : { reason }) };
  }
}

const hasEnded = ({ Status }: Task) => /^(complete|failed|rejected|orphaned|shutdown|remove)$/.test(Status.State);

/** Why its container did not run; undefined if it did, because then its log says why it failed. */
function whyNotRun(task: Task | undefined): string | undefined {
  if (task?.Status.State === "failed") return undefined;
  return `the swarm did not run it: ${task?.Status.Err ?? task?.Status.Message ?? "it has no task"}`;
}

async function removeRun(name: string): Promise<void> {
  if ((await dockerOrNothing(["service", "rm", name])) !== undefined) await waitUntilGone(name);
}
