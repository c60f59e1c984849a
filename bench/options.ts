import { parseArgs } from "node:util";
import { frameworks } from "../backend/src/frameworks/names.ts";
import { measures } from "./measures/all.ts";

const measureNames = measures.map(({ name }) => name);

export type Options = ReturnType<typeof readOptions>;

/** A wrong flag. */
export class UsageError extends Error {}

export const help = `Compares the backend in each framework with hand-written and minimal ones, and dory new with other programs that make
projects. Prints ratios.

npm run bench -- [--framework NAME]… [--measure NAME]… [--making] [--quick] [--json]
npm run bench -- --scale [--quick] [--json]

  --framework NAME  only backends, in this framework; may be repeated (${frameworks.join(", ")})
  --measure NAME    only backends, and only this; may be repeated:
${measures.map(({ name, title }) => `                      ${name.padEnd(22)} ${title}`).join("\n")}
  --making          only dory new; the others are installed with npm, once
  --scale           only what grows with replicas, resources, items, clients and creations on PostgreSQL (docs/scale.md):
                    about ten minutes, shorter with --quick
  --quick           short rounds and only what has a goal: 6 to 10 minutes instead of 20 for all frameworks
  --json            one JSON object on stdout instead of the table
  --help            this text

A missed goal is reported, but is not a failure: times differ from machine to machine.`;

export function readOptions(args: string[]) {
  const { framework, measure, making, scale, quick, json, help } = parse(args);
  const isFiltered = framework !== undefined || measure !== undefined;
  return {
    frameworks: [...new Set(framework ?? frameworks)].map((name) => readChoice(frameworks, "--framework", name)),
    measures: measure?.map((name) => readChoice(measureNames, "--measure", name)),
    backends: !making || isFiltered,
    makings: making || !isFiltered,
    scale,
    quick,
    json,
    help,
  };
}

function parse(args: string[]) {
  const flag = { type: "boolean", default: false } as const;
  const names = { type: "string", multiple: true } as const;
  try {
    return parseArgs({
      args,
      options: { framework: names, measure: names, making: flag, scale: flag, quick: flag, json: flag, help: flag },
    }).values;
  } catch (error) {
    const [line] = (error as Error).message.split("\n");
    throw new UsageError(`${line?.replace(/\.?$/, ".")} See --help.`);
  }
}

function readChoice<T extends string>(known: readonly T[], option: string, name: string): T {
  const found = known.find((one) => one === name);
  if (found) return found;
  throw new UsageError(`${option} ${name}: must be one of ${known.join(", ")}.`);
}
