import { parseArgs } from "node:util";
import { frameworks } from "../backend/src/frameworks/names.ts";

export type Framework = (typeof frameworks)[number];

export type Options = ReturnType<typeof readOptions>;

/** A wrong flag. */
export class UsageError extends Error {}

export const help = `Measures the backend against what it could be, in each framework, and dory new against others that make projects.
Prints ratios.

npm run bench -- [--framework NAME]… [--making] [--quick] [--json]

  --framework NAME  only backends, in this framework; may be repeated (${frameworks.join(", ")})
  --making          only dory new; the others are installed with npm, once
  --quick           short rounds and only what has a goal: 3 to 4 minutes instead of 13 for all frameworks
  --json            one JSON object on stdout instead of the table
  --help            this text

A missed goal is told, and is no failure: times differ from machine to machine.`;

export function readOptions(args: string[]) {
  const { framework: names, making, quick, json, help } = parse(args);
  const parts = { backends: !making || names !== undefined, makings: making || names === undefined };
  return { frameworks: [...new Set(names ?? frameworks)].map(frameworkOf), ...parts, quick, json, help };
}

function parse(args: string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args,
      options: { framework: { type: "string", multiple: true }, making: flag, quick: flag, json: flag, help: flag },
    }).values;
  } catch (error) {
    const [line] = (error as Error).message.split("\n");
    throw new UsageError(`${line?.replace(/\.?$/, ".")} See --help.`);
  }
}

function frameworkOf(name: string): Framework {
  const framework = frameworks.find((known) => known === name);
  if (framework) return framework;
  throw new UsageError(`--framework ${name}: must be one of ${frameworks.join(", ")}.`);
}
