import { mock } from "node:test";
import { flushLog, logging } from "../../src/core/log.ts";

/** The lines that are logged in this process while `work` runs. */
export async function logLines(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  flushLog();
  const written: string[] = [];
  // Another test in this process may have set it.
  const { level } = logging;
  logging.level = "info";
  const { write: report } = process.stdout;
  // What is no text comes from the test runner.
  const write = mock.method(process.stdout, "write", (text: string | Uint8Array) =>
    typeof text === "string" ? written.push(text) > 0 : report.call(process.stdout, text),
  );
  try {
    await work();
    flushLog();
  } finally {
    write.mock.restore();
    logging.level = level;
  }
  const lines = written.join("").split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}
