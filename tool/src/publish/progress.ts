import { showLine } from "../progress.ts";

/** Reports progress to a terminal, a log, or a program. */
export interface Progress {
  /** Runs a step; `update` reports its progress. */
  step<T>(name: string, title: string, work: (update: (text: string) => void) => Promise<T>): Promise<T>;
  note(text: string): void;
  event(event: string, details: Record<string, unknown>): void;
}

export function progressFor({ isJson }: { isJson: boolean }): Progress {
  if (isJson) return jsonLines;
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
  note: (text) => console.log(text),
  event: () => {},
};

const plainLines: Progress = {
  async step(_name, title, work) {
    const start = Date.now();
    try {
      const result = await withUpdates(work, (text) =>
        console.log(`… ${title} (${seconds(start)} s) ${text}`.trimEnd()),
      );
      console.log(`✓ ${title} (${seconds(start)} s)`);
      return result;
    } catch (error) {
      console.log(`✗ ${title} (${seconds(start)} s)`);
      throw error;
    }
  },
  note: (text) => console.log(text),
  event: () => {},
};

const jsonLines: Progress = {
  async step(step, title, work) {
    const start = Date.now();
    print({ event: "step", step, title, state: "started" });
    try {
      const result = await withUpdates(work, (text) => print({ event: "step", step, state: "running", text }));
      print({ event: "step", step, state: "done", ms: Date.now() - start });
      return result;
    } catch (error) {
      print({ event: "step", step, state: "failed", ms: Date.now() - start });
      throw error;
    }
  },
  note: (text) => print({ event: "note", text }),
  event: (event, details) => print({ event, ...details }),
};

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

const seconds = (start: number) => ((Date.now() - start) / 1000).toFixed(1);
const print = (event: object) => console.log(JSON.stringify(event));
