import type { Comparison } from "./comparison.ts";
import { type Compare, compareCpu, compareRates } from "./exchange.ts";
import type { Measure, Setting } from "./measure.ts";
import { hasCpuTime } from "./server.ts";

/** Two titles: by wall time, and by CPU time of the server. */
interface Pair extends Pick<Measure, "name" | "goal" | "isOnPostgres"> {
  titles: [byClock: string, byCpu: string];
  take(setting: Setting, compare: Compare): Promise<Comparison>;
}

/** The same comparison by wall time and, if the system reports it, by CPU time. */
export function compareBothWays({ name, goal, isOnPostgres = false, titles: [byClock, byCpu], take }: Pair): Measure[] {
  const rates: Measure = {
    name,
    goal,
    isOnPostgres,
    title: byClock,
    unit: "requests/s",
    take: (setting) => take(setting, compareRates),
  };
  const costs: Measure = {
    name: `${name}Cpu`,
    goal,
    isOnPostgres,
    title: byCpu,
    unit: "requests/CPU s",
    take: (setting) => take(setting, compareCpu),
  };
  return hasCpuTime ? [rates, costs] : [rates];
}
