import { availableParallelism } from "node:os";
import { align } from "../report.ts";
import { findSlope, type Series } from "./series.ts";

const conditions = [
  "Slope: how much the value grows with one more, by the line that fits best. Ratio: the last value to the first.",
  `All backends, the database (PostgreSQL, fsync and synchronous_commit on) and 64 connections of clients share ${availableParallelism()} cores: requests in a second do not grow with replicas here, CPU time for a request shows what they cost.`,
  "The backend is what dory new makes in Hono with item-routes and webhooks, 10 connections for each replica. No health checks are sent; each is one statement.",
];

/** For programs. */
export function printScaleJson(all: Series[]): string {
  const { version: node, platform, arch } = process;
  const series = all.map((one) => ({ ...one, slope: findSlope(one.points) }));
  return JSON.stringify({ node, platform, arch, cores: availableParallelism(), conditions, series });
}

/** For people: a table for each thing that there is more of. */
export function printScale(all: Series[]): string {
  const groups = Map.groupBy(all, ({ of, points }) => `${of} ${points.map(({ size }) => size).join(" ")}`);
  const tables = [...groups.values()].flatMap((group) => [...align([printHead(group), ...group.map(printLine)]), ""]);
  return [...tables, ...conditions].join("\n");
}

function printHead([first]: Series[]): string[] {
  return [first?.of ?? "", ...(first?.points.map(({ size }) => String(size)) ?? []), "slope", "ratio"];
}

function printLine({ title, points }: Series): string[] {
  const ratio = (points.at(-1)?.value ?? 0) / (points[0]?.value ?? 0);
  const isUsual = Number.isFinite(ratio);
  return [title, ...points.map(({ value }) => print(value)), print(findSlope(points)), isUsual ? print(ratio) : ""];
}

const print = (value: number) => String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2)));
