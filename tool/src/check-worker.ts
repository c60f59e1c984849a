import { parentPort, workerData } from "node:worker_threads";
import { type CheckRequest, checkBackend } from "./check.ts";
import { Fault } from "./fault.ts";
import type { CheckMessage } from "./isolated-check.ts";

// A thread of its own: the suite reads tokens and secrets from the environment when it is loaded.

const send = (message: CheckMessage) => parentPort?.postMessage(message);

try {
  const { isRecorded, ...request } = workerData as CheckRequest & { isRecorded: boolean };
  const checked = await checkBackend(request, {
    onFinding: (finding, done, all) => send({ kind: "finding", finding, done, all }),
    onChecks: (names) => send({ kind: "checks", names }),
    ...(isRecorded ? { onEnd: (ended) => send({ kind: "ended", ended }) } : {}),
  });
  send({ kind: "checked", checked });
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  send({ kind: "fault", code: error.code, message: error.message });
}
