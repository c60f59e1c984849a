import { availableParallelism } from "node:os";
import type { Framework } from "../backend/src/frameworks/names.ts";
import { findQuantile } from "./comparison.ts";
import { connections } from "./load.ts";
import type { Making } from "./making.ts";
import type { Goal, Measure, Result } from "./measure.ts";
import { measures } from "./measures/all.ts";
import type { Options } from "./options.ts";
import type { Results } from "./run.ts";

const conditions = [
  `A server and ${connections} connections to it, in two processes on 127.0.0.1. The sides take turns; a ratio is the median over the rounds.`,
  "The backend is bundled, on SQLite (WAL, synchronous=FULL), at LOG_LEVEL=info to /dev/null. The hand-written backend has the same settings of SQLite, and the logger and the schemas that are usual in its framework; it has neither tokens nor CORS.",
  "By CPU time: requests for each second that the server's process uses in user and system mode. Its ratios depend less on other load on the machine; only Linux reports it.",
  "On PostgreSQL: a server on the same machine with fsync and synchronous_commit on, 10 connections for each replica on both sides. CPU time includes that of the database and the pooler. The connections to the servers are spread over the replicas.",
  "The constant page, the one-line app and bare node:http log nothing.",
  "docker run is measured if there is a container engine: the same base image, with the bundle as its only layer.",
  "dory new runs from the start of its process to the end, with a first commit and without npm install; the others make no commit. Its ratios are measured on the same Node.",
];

/** For programs. */
export function printJson({ quick }: Options, { backends: results, makings }: Results): string {
  const { version: node, platform, arch } = process;
  return JSON.stringify({ node, platform, arch, cores: availableParallelism(), quick, conditions, results, makings });
}

/** For people: a line for each measure and goal, a column for each framework; then measures without a framework. */
export function printTable({ frameworks }: Options, { backends, makings }: Results): string {
  const lines = measures.flatMap((measure) => printMeasure(measure, frameworks, backends));
  const missed = [...backends, ...makings].filter((result) => "met" in result && result.met === false).length;
  return [
    ...(backends.length > 0 ? [...align([["", "goal", ...frameworks], ...lines]), ""] : []),
    ...(makings.length > 0 ? [...align([["", "goal"], ...makings.map(printMaking)]), ""] : []),
    ...(backends.length > 0 ? [describeSpread(backends)] : []),
    missed === 0 ? "No goal is missed." : `Missed: ${missed}, marked with ✗.`,
    ...conditions,
  ].join("\n");
}

function printMeasure({ name, title }: Measure, frameworks: Framework[], results: Result[]): string[][] {
  const groups = Map.groupBy(
    results.filter(({ measure }) => measure === name),
    ({ goal }) => printGoal(goal),
  );
  return [...groups].map(([goal, group]) => [
    title,
    goal,
    ...frameworks.map((framework) => printCell(group.find((result) => result.framework === framework))),
  ]);
}

function printMaking(making: Making): string[] {
  if ("missing" in making) return [making.title, "", `not measured: ${making.missing}`];
  const { title, goal, met, value, unit } = making;
  return [title, printGoal(goal), `${value.toFixed(2)}${unit === "s" ? " s" : ""}${met ? "" : "✗"}`];
}

function printCell(result: Result | undefined): string {
  return result ? `${result.ratio.toFixed(2)}${result.met === false ? "✗" : ""}` : "";
}

/** How far the rounds of a ratio lie apart: half the distance of its quartiles. */
function describeSpread(results: Result[]): string {
  const spreads = results.map(({ ratio, quartiles: [low, high] }) => (high - low) / 2 / ratio);
  const percent = (share: number) => `${Math.round(100 * findQuantile(spreads, share))} %`;
  return `Half of the rounds of a ratio are within ${percent(0.5)} of it; of one ratio in ten, within ${percent(0.9)} or more.`;
}

function printGoal(goal: Goal | null): string {
  if (!goal) return "-";
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

export function align(lines: string[][]): string[] {
  const findWidth = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  return lines.map((line) =>
    line
      .map((text, column) => text.padEnd(findWidth(column)))
      .join("  ")
      .trimEnd(),
  );
}
