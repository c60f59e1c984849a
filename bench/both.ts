import type { Comparison } from "./comparison.ts";
import { type Compare, compareCpu, compareRates } from "./exchange.ts";
import type { Measure, Setting } from "./measure.ts";
import { tellsCpu } from "./server.ts";

/** Two titles: by the clock, and by the time that the server takes of the processor. */
interface Pair extends Pick<Measure, "name" | "goal"> {
  titles: [byClock: string, byCpu: string];
  take(setting: Setting, compare: Compare): Promise<Comparison>;
}

/** The same comparison by the clock and, where the system tells it, by processor time. */
export function bothWays({ name, goal, titles: [byClock, byCpu], take }: Pair): Measure[] {
  const rates: Measure = {
    ...{ name, goal, title: byClock, unit: "requests/s" },
    take: (setting) => take(setting, compareRates),
  };
  const costs: Measure = {
    ...{ name: `${name}Cpu`, goal, title: byCpu, unit: "requests/CPU s" },
    take: (setting) => take(setting, compareCpu),
  };
  return tellsCpu ? [rates, costs] : [rates];
}
