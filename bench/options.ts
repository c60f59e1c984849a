import { parseArgs } from "node:util";
import { frameworks } from "../backend/src/frameworks/names.ts";
import { groups } from "./measure.ts";
import { measures } from "./measures/all.ts";

const measureNames = measures.map(({ name }) => name);

export type Options = ReturnType<typeof readOptions>;

/** A wrong flag. */
export class UsageError extends Error {}

export const help = `Compares the backend in each framework with hand-written and minimal ones, and dory new with other programs that make
projects. Prints ratios.

npm run bench -- [--framework NAME]… [--measure NAME]… [--postgres] [--replicas N] [--pooler] [--making] [--quick] [--json]
npm run bench -- --scale [--quick] [--json]
npm run bench -- --previews [--quick] [--json]

  --framework NAME  only backends, in this framework; may be repeated (${frameworks.join(", ")})
  --measure NAME    only backends, and only this; may be repeated:
${measures.map(({ name, title }) => `                      ${name.padEnd(26)} ${title}`).join("\n")}
  --postgres        only backends, and only what is measured on PostgreSQL with one replica
  --replicas N      the same with N replicas (2 to 16; 4 if all is measured)
  --pooler          the same with one replica by way of PgBouncer; these three may be combined
  --making          only dory new; the others are installed with npm, once
  --scale           only what grows with replicas, resources, items, clients and creations on PostgreSQL (docs/scale.md):
                    about ten minutes, shorter with --quick
  --previews        only dory studio --public: the CPU time of a preview, and its memory, with previews that all differ
  --quick           short rounds and only what has a goal: 10 to 15 minutes instead of 30 for all frameworks
  --json            one JSON object on stdout instead of the table
  --help            this text

A missed goal is reported, but is not a failure: times differ from machine to machine.`;

export function readOptions(args: string[]) {
  const { framework, measure = [], replicas, making, scale, previews, quick, json, help, ...chosen } = parse(args);
  const named = groups.filter((group) => (group === "replicas" ? replicas !== undefined : chosen[group]));
  const isFiltered = framework !== undefined || measure.length + named.length > 0;
  return {
    frameworks: [...new Set(framework ?? frameworks)].map((name) => readChoice(frameworks, "--framework", name)),
    measures: measure.map((name) => readChoice(measureNames, "--measure", name)),
    groups: named,
    replicas: readReplicas(replicas ?? "4"),
    backends: !making || isFiltered,
    makings: making || !isFiltered,
    scale,
    previews,
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
      options: {
        framework: names,
        measure: names,
        postgres: flag,
        replicas: { type: "string" },
        pooler: flag,
        making: flag,
        scale: flag,
        previews: flag,
        quick: flag,
        json: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    const [line] = (error as Error).message.split("\n");
    throw new UsageError(`${line?.replace(/\.?$/, ".")} See --help.`);
  }
}

function readReplicas(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 2 && count <= 16) return count;
  throw new UsageError(`--replicas ${text}: must be an integer from 2 to 16.`);
}

function readChoice<T extends string>(known: readonly T[], option: string, name: string): T {
  const found = known.find((one) => one === name);
  if (found) return found;
  throw new UsageError(`${option} ${name}: must be one of ${known.join(", ")}.`);
}
