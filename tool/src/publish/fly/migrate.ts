import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { Fault } from "../../fault.ts";
import { searchedLines } from "../cause.ts";
import {
  endOtherRuns,
  type FoundRun,
  isLeftSince,
  lateReason,
  migrationMs,
  type RunResult,
  removeLeftRuns,
} from "../run.ts";
import { withRetries } from "../watch.ts";
import { type FlyRelease, readVariables } from "./config.ts";
import { destroyMachine, flyctl, readMachineLog, runMachine } from "./flyctl.ts";
import { isRun, type Machine, readAllMachines, runMetadata } from "./machines.ts";

type Waiting = { paceMs: number; update: (text: string) => void };

/** Runs the image of a release in a machine of its own, to apply migrations; its secrets are the app's. */
export async function runMigrations(app: string, { id, services }: FlyRelease, how: Waiting): Promise<RunResult> {
  const [service] = services;
  // Fly has no lease for this, so that a name is never that of another publisher's machine.
  const name = `${app}-${id}-migrate-${randomBytes(4).toString("hex")}`;
  await endOtherRuns(
    () => listRuns(app),
    (id) => destroy(app, id),
    how,
  );
  const serving = (await readAllMachines(app)).find((machine) => !isRun(machine));
  const env = { ...(service && readVariables(service)), MIGRATE: "only" };
  const run = { name, image: service?.image ?? "", region: serving?.region, env, metadata: runMetadata };
  const started = await flyctl.run(runMachine(app, run), { timeoutMs: 420_000 }).then(
    () => undefined,
    (error: Error) => error,
  );
  try {
    return await waitForEnd(app, name, how, started);
  } finally {
    const left = await withRetries(how, () => find(app, name));
    if (left) await destroy(app, left.id);
  }
}

/** Removes what publishers that were cut off have left. */
export async function removeLeft(app: string): Promise<void> {
  await removeLeftRuns(await listRuns(app), (id) => destroy(app, id));
}

/** By id. A machine that runs for too long has a publisher that is gone. */
async function listRuns(app: string): Promise<FoundRun[]> {
  const runs = (await readAllMachines(app)).filter(isRun);
  return runs.map((machine) => {
    const isUnderWay = !hasEnded(machine) && !isLate(machine);
    const endedAt = machine.events?.find(({ type }) => type === "exit")?.timestamp ?? machine.created_at;
    return { name: machine.id, isUnderWay, isLeft: !isUnderWay && isLeftSince(endedAt) };
  });
}

const hasEnded = ({ state }: Machine) => /^(stopped|stopping|suspended|failed|launch_failed)$/.test(state);
const isLate = ({ created_at = "" }: Machine) => Date.now() - Date.parse(created_at) > migrationMs;

const find = async (app: string, name: string) => (await readAllMachines(app)).find((one) => one.name === name);

async function destroy(app: string, id: string): Promise<void> {
  await flyctl.run(destroyMachine(app, id)).catch((error) => {
    // Another publisher was faster.
    if (!(error instanceof Fault && /not.?found/i.test(error.message))) throw error;
  });
}

/** flyctl waits until a machine has started, and fails if it has ended by then: its own state says more. */
async function waitForEnd(app: string, name: string, how: Waiting, failed: Error | undefined): Promise<RunResult> {
  for (; ; await sleep(how.paceMs)) {
    const machine = await withRetries(how, () => find(app, name));
    if (!machine) throw failed ?? new Fault("fly", `The machine ${name}, which applied migrations, was destroyed.`);
    const code = findExitCode(machine);
    if (!isLate(machine) && !hasEnded(machine) && code === undefined) continue;
    const lines = await readLog(app, machine.id, how);
    if (code === 0) return { isDone: true, lines };
    const reason =
      code === undefined ? (hasEnded(machine) ? `its machine is ${machine.state}` : lateReason) : undefined;
    return { isDone: false, lines, ...(reason === undefined ? {} : { reason }) };
  }
}

/** What its process ended with; undefined if it has not ended, or was never started. */
function findExitCode({ events = [] }: Machine): number | undefined {
  const { exit_event, MonitorEvent } = events.find(({ type }) => type === "exit")?.request ?? {};
  return (MonitorEvent?.exit_event ?? exit_event)?.exit_code;
}

/** Lines of a log arrive a moment later, so it is read until there are some: our backends always write one. */
async function readLog(app: string, id: string, { paceMs }: Waiting): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const log = await flyctl.run(readMachineLog(app, id), { timeoutMs: 20_000 }).catch(() => "");
    const lines = stripVTControlCharacters(log)
      .split("\n")
      .flatMap((line) => /^\S+ app\[[^\]]*\] \S+ \[\w+\] ?(.*)$/.exec(line)?.[1] ?? []);
    if (lines.some((line) => !isFromInit(line)) || tries === 5) return lines.slice(-searchedLines);
    await sleep(paceMs);
  }
}

/** The machine's first process writes lines of its own. */
const isFromInit = (line: string) => /^\s*(INFO|WARN|ERROR) |^\s*\[ *\d+\.\d+\]|^\s*$/.test(line);
