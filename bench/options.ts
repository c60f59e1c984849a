import { parseArgs } from "node:util";
import { frameworks } from "../backend/src/frameworks/names.ts";

export type Framework = (typeof frameworks)[number];

export type Options = ReturnType<typeof readOptions>;

/** A wrong flag. */
export class UsageError extends Error {}

export const help = `Measures the backend against what it could be, in each framework, and prints ratios.

npm run bench -- [--framework NAME]… [--quick] [--json]

  --framework NAME  only this framework; may be repeated (${frameworks.join(", ")})
  --quick           short rounds and only what has a goal: 2 to 3 minutes instead of 10 for all frameworks
  --json            one JSON object on stdout instead of the table
  --help            this text

A missed goal is told, and is no failure: times differ from machine to machine.`;

export function readOptions(args: string[]) {
  const { framework: names = frameworks, quick, json, help } = parse(args);
  return { frameworks: [...new Set(names)].map(frameworkOf), quick, json, help };
}

function parse(args: string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args,
      options: { framework: { type: "string", multiple: true }, quick: flag, json: flag, help: flag },
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
