import { print, printJson } from "../output.ts";
import { showLine } from "../progress.ts";

/** Reports progress to a terminal, a log, or a program. */
export interface Progress {
  /** Runs a step; `update` reports its progress. */
  step<T>(name: string, title: string, work: (update: (text: string) => void) => Promise<T>): Promise<T>;
  note(text: string): void;
  event(event: string, details: Record<string, unknown>): void;
}

export function createProgress({ isJson }: { isJson: boolean }): Progress {
  if (isJson) return reportEvents(printJson);
  return process.stdout.isTTY && !process.env["CI"] ? terminal : plainLines;
}

const terminal: Progress = {
  async step(_name, title, work) {
    const line = await showLine(title);
    try {
      const result = await work(line.update);
      line.end(true);
      return result;
    } catch (error) {
      line.end(false);
      throw error;
    }
  },
  note: print,
  event: () => {},
};

const plainLines: Progress = {
  async step(_name, title, work) {
    const start = performance.now();
    try {
      const result = await withUpdates(work, (text) =>
        print(`… ${title} (${formatSeconds(start)} s) ${text}`.trimEnd()),
      );
      print(`✓ ${title} (${formatSeconds(start)} s)`);
      return result;
    } catch (error) {
      print(`✗ ${title} (${formatSeconds(start)} s)`);
      throw error;
    }
  },
  note: print,
  event: () => {},
};

/** What happens, as `--json` prints it. */
export type ProgressEvent = { event: string } & Record<string, unknown>;

/** Reports each event to a function. */
export function reportEvents(onEvent: (event: ProgressEvent) => void): Progress {
  return {
    async step(step, title, work) {
      const start = performance.now();
      onEvent({ event: "step", step, title, state: "started" });
      const end = (state: string) => onEvent({ event: "step", step, state, ms: Math.round(performance.now() - start) });
      try {
        const result = await withUpdates(work, (text) => onEvent({ event: "step", step, state: "running", text }));
        end("done");
        return result;
      } catch (error) {
        end("failed");
        throw error;
      }
    },
    note: (text) => onEvent({ event: "note", text }),
    event: (event, details) => onEvent({ event, ...details }),
  };
}

/** A step that takes longer prints a line at this interval. */
const silenceMs = 10_000;

/** Runs the work, and prints its latest update at intervals. */
async function withUpdates<T>(
  work: (update: (text: string) => void) => Promise<T>,
  say: (text: string) => void,
): Promise<T> {
  let last = "";
  const timer = setInterval(() => say(last), silenceMs);
  try {
    return await work((text) => {
      last = text.split("\n", 1)[0]?.slice(0, 160) ?? "";
    });
  } finally {
    clearInterval(timer);
  }
}

const formatSeconds = (start: number) => ((performance.now() - start) / 1000).toFixed(1);
