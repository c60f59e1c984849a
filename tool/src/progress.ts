import { Fault } from "./fault.ts";
import { escapeControls, print, printError } from "./output.ts";

/** A line in a terminal that shows that something is running, and for how long. */
export interface Line {
  update(detail: string): void;
  end(isWell: boolean): void;
}

/** How work that takes a while is reported, and ended. */
export interface Reporter {
  say(line: string): void;
  /** Called when something begins; a line that is shown for it is ended with it. */
  begin(title: string): Promise<Line> | undefined;
  /** Aborted by Ctrl-C, or because nobody needs the result any more. */
  interrupted: AbortSignal;
}

/** Runs work that reports to a terminal or a log, or, with `isQuiet`, to nobody. Returns 130 if it was interrupted. */
export async function runReported(
  { isQuiet }: { isQuiet: boolean },
  work: (reporter: Reporter) => Promise<number>,
): Promise<number> {
  const isTerminal = process.stdout.isTTY && process.env["TERM"] !== "dumb";
  const say = (line: string) => (isQuiet ? undefined : print(line));
  const begin = isTerminal && !isQuiet ? showLine : (title: string) => void say(`${title} …`);
  const controller = new AbortController();
  // Every signal after the first is ignored: what was begun is being reverted.
  const stop = () => controller.abort();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await work({ say, begin, interrupted: controller.signal });
  } catch (error) {
    if (!(error instanceof Fault && error.code === "interrupted")) throw error;
    printError(`\n${error.message}`);
    return 130;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

export async function showLine(title: string): Promise<Line> {
  const { default: ora } = await import("ora");
  const start = performance.now();
  const seconds = () => Math.floor((performance.now() - start) / 1000);
  let detail = "";
  const text = () => escapeControls(`${title} (${seconds()} s)${detail && ` ${detail}`}`);
  // The terminal keeps its mode: Ctrl-C must arrive as a signal, because its handler knows what to revert.
  const line = ora({ text: text(), discardStdin: false }).start();
  const timer = setInterval(() => (line.text = text()), 250);
  return {
    update: (text) => (detail = text.slice(0, 60)),
    end: (isWell) => {
      clearInterval(timer);
      detail = "";
      line[isWell ? "succeed" : "fail"](text());
    },
  };
}
