import { escapeControls } from "./output.ts";

/** A line in a terminal that shows that something is running, and for how long. */
export interface Line {
  update(detail: string): void;
  end(isWell: boolean): void;
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
