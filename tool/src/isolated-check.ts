import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Checked, CheckRequest, CheckWatcher } from "./check.ts";
import type { EndedCheck, Finding } from "./checks.ts";
import { Fault } from "./fault.ts";

export type CheckMessage =
  | { kind: "finding"; finding: Finding; done: number; all: number }
  | { kind: "checks"; names: string[] }
  | { kind: "ended"; ended: EndedCheck }
  | { kind: "checked"; checked: Checked }
  | { kind: "fault"; code: string; message: string };

/** How a program that checks several backends checks one of them. */
export interface IsolatedCheck extends CheckWatcher {
  /** Tokens and secrets of this backend; what is undefined here is not set. Other variables are those of this process. */
  env: NodeJS.ProcessEnv;
  /** Ends it at once. */
  signal: AbortSignal;
}

/** Checks a backend with an environment of its own. */
export function checkIsolated(request: CheckRequest, check: IsolatedCheck): Promise<Checked> {
  const { env, signal, onFinding, onChecks, onEnd } = check;
  const file = join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "check-worker.ts" : "check-worker.js");
  const all = Object.entries({ ...process.env, ...env }).filter(([, value]) => value !== undefined);
  const worker = new Worker(file, {
    env: Object.fromEntries(all),
    workerData: { ...request, isRecorded: onEnd !== undefined },
  });
  const checked = new Promise<Checked>((resolve, reject) => {
    worker.on("message", (message: CheckMessage) => {
      if (message.kind === "finding") onFinding?.(message.finding, message.done, message.all);
      else if (message.kind === "checks") onChecks?.(message.names);
      else if (message.kind === "ended") onEnd?.(message.ended);
      else if (message.kind === "checked") resolve(message.checked);
      else reject(new Fault(message.code, message.message));
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Fault("interrupted", "Interrupted: not all checks were run.")));
    const stop = () => void worker.terminate();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
  });
  return checked.finally(() => worker.terminate());
}
