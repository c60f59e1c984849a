import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../fault.ts";
import { searchedLines } from "../cause.ts";
import { endOtherRuns, type FoundRun, isLeftSince, migrationMs, type RunResult, removeLeftRuns } from "../run.ts";
import { withRetries } from "../watch.ts";
import {
  createJob,
  deleteJob,
  executeJob,
  gcloud,
  ignoreMissing,
  listExecutions,
  listJobs,
  type Place,
  readJobLog,
} from "./gcloud.ts";
import { type CloudRunRelease, withVariablesFile } from "./service.ts";

type Waiting = { paceMs: number; update: (text: string) => void };

interface Job {
  metadata: { name: string; creationTimestamp?: string };
}

interface Execution {
  metadata: { name: string };
  status?: { completionTime?: string; conditions?: { type: string; status: string; message?: string }[] };
}

/** Runs the image of a release in a job, to apply migrations, with the versions of secrets that it will have. */
export async function runMigrations(
  place: Place,
  service: string,
  { id, services: [released], secretVersions }: CloudRunRelease,
  how: Waiting,
): Promise<RunResult> {
  // There is no lease, so that a name is never that of another publisher's job.
  const name = `${service}-${id}-migrate-${randomBytes(4).toString("hex")}`;
  await endOtherRuns(
    () => listRuns(place, service),
    (job) => remove(place, job),
    how,
  );
  const job = { name, service, image: released?.image ?? "", secrets: secretVersions, seconds: migrationMs / 1000 };
  try {
    await withVariablesFile({ ...released?.env, MIGRATE: "only" }, (variablesFile) =>
      gcloud.run(createJob(place, { ...job, variablesFile }), { timeoutMs: 300_000 }),
    );
    await gcloud.run(executeJob(place, name), { timeoutMs: 300_000 });
    return await waitForEnd(place, name, how);
  } finally {
    await withRetries(how, () => remove(place, name));
  }
}

/** Removes what publishers that were cut off have left. */
export async function removeLeft(place: Place, service: string): Promise<void> {
  await removeLeftRuns(await listRuns(place, service), (job) => remove(place, job));
}

export async function removeRuns(place: Place, service: string): Promise<void> {
  for (const { name } of await listRuns(place, service)) await remove(place, name);
}

/** Cloud Run itself ends what runs for too long. A job that has not run has a publisher that is gone, or begins. */
async function listRuns(place: Place, service: string): Promise<FoundRun[]> {
  const jobs = (await gcloud.readJson<Job[]>(listJobs(place, service))) ?? [];
  return Promise.all(
    jobs.map(async ({ metadata: { name, creationTimestamp } }) => {
      const [execution] = await readExecutions(place, name);
      const isUnderWay = execution ? findCompletion(execution) === undefined : !isLeftSince(creationTimestamp);
      const endedAt = execution?.status?.completionTime ?? creationTimestamp;
      return { name, isUnderWay, isLeft: !isUnderWay && isLeftSince(endedAt) };
    }),
  );
}

const remove = (place: Place, job: string) => gcloud.run(deleteJob(place, job)).catch(ignoreMissing);

async function readExecutions(place: Place, job: string): Promise<Execution[]> {
  return (await gcloud.readJson<Execution[]>(listExecutions(place, job))) ?? [];
}

/** How an execution ended; undefined while it runs. */
const findCompletion = ({ status }: Execution) =>
  status?.conditions?.find(({ type, status }) => type === "Completed" && status !== "Unknown");

async function waitForEnd(place: Place, job: string, how: Waiting): Promise<RunResult> {
  for (;;) {
    const [execution] = await withRetries(how, () => readExecutions(place, job));
    if (!execution) throw new Fault("gcloud", `The job ${job}, which applied migrations, was deleted.`);
    const completion = findCompletion(execution);
    if (completion) return readResult(place, job, completion, how);
    await sleep(how.paceMs);
  }
}

/** A container that ended with an error says why in its log; of one that was ended, Cloud Run knows more. */
async function readResult(
  place: Place,
  job: string,
  { status, message = "" }: { status: string; message?: string },
  how: Waiting,
): Promise<RunResult> {
  const lines = await readLog(place, job, how);
  if (status === "True") return { isDone: true, lines };
  const isOwnFault = /exited with an error|non-?zero exit/i.test(message);
  return { isDone: false, lines, ...(isOwnFault || message === "" ? {} : { reason: message }) };
}

/** Lines of a log arrive some seconds later, so it is read until there are some: our backends always write one. */
async function readLog(place: Place, job: string, { paceMs }: Waiting): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const log = await gcloud.run(readJobLog(place, job, searchedLines), { timeoutMs: 30_000 }).catch(() => "");
    const lines = log.split("\n").map((line) => line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? ?/, ""));
    const found = lines.filter((line) => line !== "");
    if (found.length > 0 || tries === 10) return found;
    await sleep(paceMs);
  }
}
