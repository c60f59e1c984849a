import { showLine } from "../progress.ts";

/** Reports what is going on: to a person at a terminal, into a log, or to a program. */
export interface Progress {
  /** Does a step of the work; `update` says how far it is. */
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
      const result = await speaking(work, (text) => console.log(`… ${title} (${seconds(start)} s) ${text}`.trimEnd()));
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
      const result = await speaking(work, (text) => print({ event: "step", step, state: "running", text }));
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

/** Who waits longer than this wants to know that something goes on. */
const silenceMs = 10_000;

/** Does the work, and says now and then how far it is. */
async function speaking<T>(
  work: (update: (text: string) => void) => Promise<T>,
  say: (text: string) => void,
): Promise<T> {
  let last = "";
  const signs = setInterval(() => say(last), silenceMs);
  try {
    return await work((text) => {
      last = text.split("\n", 1)[0]?.slice(0, 160) ?? "";
    });
  } finally {
    clearInterval(signs);
  }
}

const seconds = (start: number) => ((Date.now() - start) / 1000).toFixed(1);
const print = (event: object) => console.log(JSON.stringify(event));
