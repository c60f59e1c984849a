import type { Framework } from "../backend/src/frameworks/names.ts";
import { missing } from "../backend/test/support/pgbouncer.ts";
import { type Bundles, bundleAll } from "./bundle.ts";
import { Data } from "./data.ts";
import { Load } from "./load.ts";
import { type Making, measureMaking } from "./making.ts";
import { judge, type Measure, type Plan, type Result, type Setting } from "./measure.ts";
import { measures } from "./measures/all.ts";
import { container, hasEngine } from "./measures/container.ts";
import type { Options } from "./options.ts";
import { DurablePostgres } from "./postgres.ts";

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
  let postgres: DurablePostgres | undefined;
  try {
    const data = new Data();
    const any = bundles.values().next().value as Bundles;
    const prepared = chosen.some(({ group }) => !group) ? await data.prepare(any) : (undefined as never);
    postgres = chosen.some(({ group }) => group) ? await DurablePostgres.start(any) : undefined;
    const { replicas } = options;
    const setting = { plan, load, data, prepared, postgres: postgres as DurablePostgres, replicas };
    const results: Result[] = [];
    for (const [framework, files] of bundles)
      results.push(...(await measureAll(chosen, framework, { ...setting, bundles: files })));
    return results;
  } finally {
    load.end();
    await postgres?.stop();
  }
}

/** The named measures and groups; otherwise all, or in a quick run those with a goal. */
function chooseMeasures({ quick, frameworks, measures: names, groups }: Options): Measure[] {
  const hasGoal = ({ goal }: Measure) => frameworks.some((framework) => goal(framework));
  const isNamed = ({ name, group }: Measure) => names.includes(name) || (group && groups.includes(group));
  const isAnyNamed = names.length + groups.length > 0;
  const chosen = measures.filter((measure) => (isAnyNamed ? isNamed(measure) : !quick || hasGoal(measure)));
  const unavailable = [
    ...(hasEngine() ? [] : [{ reason: "No container engine", isPart: (measure: Measure) => measure === container }]),
    ...(missing ? [{ reason: missing, isPart: ({ group }: Measure) => group === "pooler" }] : []),
  ];
  return chosen.filter((measure) => {
    const found = unavailable.find(({ isPart }) => isPart(measure));
    if (found) process.stderr.write(`${found.reason}: the measure ${measure.name} is left out.\n`);
    return !found;
  });
}

async function measureAll(measures: Measure[], framework: Framework, setting: Setting): Promise<Result[]> {
  const results: Result[] = [];
  for (const measure of measures) {
    process.stderr.write(`${framework}: ${measure.title}\n`);
    results.push(judge(framework, measure, await measure.take(setting)));
  }
  return results;
}
