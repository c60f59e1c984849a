import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Framework } from "../backend/src/frameworks/names.ts";
import { type Comparison, inTurns } from "./comparison.ts";
import { type Generator, generators, install, secondsOf } from "./generators.ts";
import { type Goal, isMet, type Plan } from "./measure.ts";

/** The time to make a project: in seconds, or as a ratio to another program that makes one. */
export type Making =
  | ({ title: string; goal: Goal; met: boolean; value: number; unit: "s" | "ratio" } & Partial<Comparison>)
  | { title: string; missing: string };

/** `dory new` alone, and compared with others. */
export async function measureMaking(plan: Plan): Promise<Making[]> {
  const results = await byItself(plan);
  for (const generator of generators) {
    process.stderr.write(`dory new: to ${generator.title}\n`);
    results.push(await sideBySide(plan, generator));
  }
  return results;
}

/** On this Node, and on the machine's Node if that is another one. */
async function byItself({ makings }: Plan): Promise<Making[]> {
  const nodes = [...new Set([process.env["npm_node_execpath"] ?? process.execPath, process.execPath])];
  const [own = "", ours = own] = nodes;
  process.stderr.write("dory new\n");
  const { ours: onOwn, other: onOurs } = await inTurns(makings, dory("hono", own), dory("hono", ours));
  return nodes.map((node, index) => inSeconds(node, index === 0 ? onOwn : onOurs));
}

function inSeconds(node: string, value: number): Making {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const goal = { atMost: 0.5 };
  return { title: `dory new on Node ${version}`, goal, met: isMet(goal, value), value, unit: "s" };
}

async function sideBySide({ makings }: Plan, generator: Generator): Promise<Making> {
  const title = `dory new, to ${generator.title} ${generator.version}`;
  try {
    const program = await install(generator);
    const other = () => secondsOf(process.execPath, [program, ...generator.args]);
    const comparison = await inTurns(makings, dory(generator.framework, process.execPath), other);
    const goal = { atMost: 1 };
    return { title, goal, met: isMet(goal, comparison.ratio), value: comparison.ratio, unit: "ratio", ...comparison };
  } catch (error) {
    return { title, missing: (error as Error).message };
  }
}

const bin = join(import.meta.dirname, "../tool/bin/dory.js");

function dory(framework: Framework, node: string): () => Promise<number> {
  return () => secondsOf(node, [bin, "new", "app", "--framework", framework, "--no-install"]);
}
