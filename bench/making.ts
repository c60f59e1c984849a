import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Framework } from "../backend/src/frameworks/names.ts";
import { type Comparison, compareInTurns } from "./comparison.ts";
import { type Generator, generators, install, timeProgram } from "./generators.ts";
import { type Goal, isMet, type Plan } from "./measure.ts";

/** The time to make a project: in seconds, or as a ratio to another program that makes one. */
export type Making =
  | ({ title: string; goal: Goal; met: boolean; value: number; unit: "s" | "ratio" } & Partial<Comparison>)
  | { title: string; missing: string };

/** `dory new` alone, and compared with others. */
export async function measureMaking(plan: Plan): Promise<Making[]> {
  const results = await measureAlone(plan);
  for (const generator of generators) {
    process.stderr.write(`dory new: to ${generator.title}\n`);
    results.push(await compareWith(plan, generator));
  }
  return results;
}

/** On this Node, and on the machine's Node if that is another one. */
async function measureAlone({ makings }: Plan): Promise<Making[]> {
  const nodes = [...new Set([process.env["npm_node_execpath"] ?? process.execPath, process.execPath])];
  const [own = "", ours = own] = nodes;
  process.stderr.write("dory new\n");
  const { ours: onOwn, other: onOurs } = await compareInTurns(makings, timeDory("hono", own), timeDory("hono", ours));
  return nodes.map((node, index) => toMaking(node, index === 0 ? onOwn : onOurs));
}

function toMaking(node: string, value: number): Making {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const goal = { atMost: 0.5 };
  return { title: `dory new on Node ${version}`, goal, met: isMet(goal, value), value, unit: "s" };
}

async function compareWith({ makings }: Plan, generator: Generator): Promise<Making> {
  const title = `dory new, to ${generator.title} ${generator.version}`;
  try {
    const program = await install(generator);
    const other = () => timeProgram(process.execPath, [program, ...generator.args]);
    const comparison = await compareInTurns(makings, timeDory(generator.framework, process.execPath), other);
    const goal = { atMost: 1 };
    return { title, goal, met: isMet(goal, comparison.ratio), value: comparison.ratio, unit: "ratio", ...comparison };
  } catch (error) {
    return { title, missing: (error as Error).message };
  }
}

const bin = join(import.meta.dirname, "../tool/bin/dory.js");

function timeDory(framework: Framework, node: string): () => Promise<number> {
  return () => timeProgram(node, [bin, "new", "app", "--framework", framework, "--no-install"]);
}
