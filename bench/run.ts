import type { Framework } from "../backend/src/frameworks/names.ts";
import { type Bundles, bundleAll } from "./bundle.ts";
import { Data } from "./data.ts";
import { Load } from "./load.ts";
import { type Making, measureMaking } from "./making.ts";
import { judge, type Measure, type Plan, type Result, type Setting } from "./measure.ts";
import { measures } from "./measures/all.ts";
import { container, hasEngine } from "./measures/container.ts";
import type { Options } from "./options.ts";

const fullPlan: Plan = { rounds: 8, roundMs: 500, warmUpMs: 1000, starts: 17, makings: 11 };
const quickPlan: Plan = { rounds: 5, roundMs: 200, warmUpMs: 300, starts: 15, makings: 5 };

export interface Results {
  backends: Result[];
  makings: Making[];
}

export async function run(options: Options): Promise<Results> {
  const plan = options.quick ? quickPlan : fullPlan;
  return {
    backends: options.backends ? await runBackends(options, plan) : [],
    makings: options.makings ? await measureMaking(plan) : [],
  };
}

async function runBackends(options: Options, plan: Plan): Promise<Result[]> {
  const bundles = await bundleAll(options.frameworks);
  const chosen = chooseMeasures(options);
  const load = new Load();
  try {
    const data = new Data();
    const prepared = await data.prepare(bundles.values().next().value as Bundles);
    const setting = { plan, load, data, prepared };
    const results: Result[] = [];
    for (const [framework, files] of bundles)
      results.push(...(await measureAll(chosen, framework, { ...setting, bundles: files })));
    return results;
  } finally {
    load.end();
  }
}

/** The named measures; otherwise all, or in a quick run those with a goal. */
function chooseMeasures({ quick, frameworks, measures: names }: Options): Measure[] {
  const hasGoal = ({ goal }: Measure) => frameworks.some((framework) => goal(framework));
  const chosen = measures.filter((measure) => (names ? names.includes(measure.name) : !quick || hasGoal(measure)));
  if (!chosen.includes(container) || hasEngine()) return chosen;
  process.stderr.write("No container engine: the measure container is left out.\n");
  return chosen.filter((measure) => measure !== container);
}

async function measureAll(measures: Measure[], framework: Framework, setting: Setting): Promise<Result[]> {
  const results: Result[] = [];
  for (const measure of measures) {
    process.stderr.write(`${framework}: ${measure.title}\n`);
    results.push(judge(framework, measure, await measure.take(setting)));
  }
  return results;
}
