import { availableParallelism } from "node:os";
import { connections } from "./load.ts";
import type { Goal, Measure, Result } from "./measure.ts";
import type { Framework, Options } from "./options.ts";
import { measuresFor } from "./run.ts";

const conditions = [
  `A server and ${connections} connections to it, in two processes on 127.0.0.1. The sides take turns; a ratio is the median over the rounds.`,
  "The backend is bundled, on SQLite (WAL, synchronous=FULL), at LOG_LEVEL=info to /dev/null. The constant page and bare node:http log nothing.",
];

/** For programs. */
export function jsonReport({ quick }: Options, results: Result[]): string {
  const { version: node, platform, arch } = process;
  return JSON.stringify({ node, platform, arch, cores: availableParallelism(), quick, conditions, results });
}

/** For people: a line for each measure and goal, a column for each framework. */
export function tableReport(options: Options, results: Result[]): string {
  const { frameworks } = options;
  const lines = measuresFor(options).flatMap((measure) => linesOf(measure, frameworks, results));
  const missed = results.filter(({ met }) => met === false).length;
  return [
    ...aligned([["", "goal", ...frameworks], ...lines]),
    "",
    missed === 0 ? "All goals are met." : `Missed: ${missed}, marked with ✗.`,
    ...conditions,
  ].join("\n");
}

function linesOf({ name, title }: Measure, frameworks: Framework[], results: Result[]): string[][] {
  const groups = Map.groupBy(
    results.filter(({ measure }) => measure === name),
    ({ goal }) => goalText(goal),
  );
  return [...groups].map(([goal, group]) => [
    title,
    goal,
    ...frameworks.map((framework) => cell(group.find((result) => result.framework === framework))),
  ]);
}

function cell(result: Result | undefined): string {
  return result ? `${result.ratio.toFixed(2)}${result.met === false ? "✗" : ""}` : "";
}

function goalText(goal: Goal | null): string {
  if (!goal) return "-";
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function aligned(lines: string[][]): string[] {
  const width = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  return lines.map((line) =>
    line
      .map((text, column) => text.padEnd(width(column)))
      .join("  ")
      .trimEnd(),
  );
}
