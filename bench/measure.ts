import type { Framework } from "../backend/src/frameworks/names.ts";
import type { Bundles } from "./bundle.ts";
import type { Comparison } from "./comparison.ts";
import type { Data, Prepared } from "./data.ts";
import type { Load } from "./load.ts";
import type { DurablePostgres } from "./postgres.ts";

export type Goal = { atLeast: number } | { atMost: number };

/** Something to compare. Its ratio is always ours to the other. */
export interface Measure {
  name: string;
  title: string;
  unit: "requests/s" | "requests/CPU s" | "µs/request" | "ms";
  /** Undefined if the measure is only reported. */
  goal(framework: Framework): Goal | undefined;
  take(setting: Setting): Promise<Comparison>;
  /** Whether it needs a PostgreSQL server, and nothing else. */
  isOnPostgres?: boolean;
}

/** What a measure needs. */
export interface Setting {
  plan: Plan;
  load: Load;
  data: Data;
  prepared: Prepared;
  postgres: DurablePostgres;
  bundles: Bundles;
}

export interface Plan {
  rounds: number;
  roundMs: number;
  warmUpMs: number;
  starts: number;
  makings: number;
}

export interface Result extends Comparison {
  framework: Framework;
  measure: string;
  unit: Measure["unit"];
  goal: Goal | null;
  met: boolean | null;
}

export function judge(framework: Framework, { name, unit, goal: goalFor }: Measure, comparison: Comparison): Result {
  const goal = goalFor(framework) ?? null;
  return { framework, measure: name, goal, met: goal && isMet(goal, comparison.ratio), unit, ...comparison };
}

export function isMet(goal: Goal, ratio: number): boolean {
  return "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
