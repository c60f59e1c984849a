import type { Bundles } from "./bundle.ts";
import { compareRounds, exchange, type Round, type Rounds, type Side } from "./exchange.ts";
import type { Measure, Setting } from "./measure.ts";
import { hasCpuTime } from "./server.ts";

interface Subject extends Pick<Measure, "name" | "goal" | "group"> {
  title: string;
  /** What our side is compared with. */
  to: string;
  find(setting: Setting): Promise<[ours: Side, other: Side]> | [ours: Side, other: Side];
}

/**
 * One exchange, compared by wall time and, if the system reports it, by CPU time: of all that worked for a side, and of
 * a database that has processes of its own.
 */
export function compareBothWays({ name, goal, group, title, to, find }: Subject): Measure[] {
  const taken = new WeakMap<Bundles, Promise<Rounds>>();
  const take = async (setting: Setting, calculate: (round: Round) => number) => {
    const exchanged = async () => exchange(setting, await find(setting));
    return compareRounds(await taken.getOrInsertComputed(setting.bundles, exchanged), calculate);
  };
  const rates: Measure = {
    name,
    goal,
    group,
    title: `${title}, to ${to}`,
    unit: "requests/s",
    take: (setting) => take(setting, ({ rate }) => rate),
  };
  const costs: Measure = {
    name: `${name}Cpu`,
    goal,
    group,
    title: `${title}, to ${to}, by CPU time`,
    unit: "requests/CPU s",
    take: (setting) =>
      take(setting, ({ count, cpuSeconds, databaseSeconds }) => count / (cpuSeconds + databaseSeconds)),
  };
  const databaseCosts: Measure = {
    name: `${name}Database`,
    goal: () => undefined,
    group,
    title: `${title}, by CPU time of the database alone`,
    unit: "requests/CPU s",
    take: (setting) => take(setting, ({ count, databaseSeconds }) => count / databaseSeconds),
  };
  if (!hasCpuTime) return [rates];
  return group ? [rates, costs, databaseCosts] : [rates, costs];
}
