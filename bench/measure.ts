import type { Framework } from "../backend/src/frameworks/names.ts";
import type { Bundles } from "./bundle.ts";
import type { Comparison } from "./comparison.ts";
import type { Data, Prepared } from "./data.ts";
import type { Load } from "./load.ts";
import type { DurablePostgres } from "./postgres.ts";

/** On PostgreSQL: with one replica, with several, and with one by way of PgBouncer. */
export const groups = ["postgres", "replicas", "pooler"] as const;
export type Group = (typeof groups)[number];

export type Goal = { atLeast: number } | { atMost: number };

/** Something to compare. Its ratio is always ours to the other. */
export interface Measure {
  name: string;
  title: string;
  unit: "requests/s" | "requests/CPU s" | "µs/request" | "ms";
  /** Undefined if the measure is only reported. */
  goal(framework: Framework): Goal | undefined;
  take(setting: Setting): Promise<Comparison>;
  /** How it uses PostgreSQL, if it does. */
  group?: Group | undefined;
}

/** What a measure needs. */
export interface Setting {
  plan: Plan;
  load: Load;
  data: Data;
  prepared: Prepared;
  postgres: DurablePostgres;
  bundles: Bundles;
  /** How many replicas there are where there are several. */
  replicas: number;
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
