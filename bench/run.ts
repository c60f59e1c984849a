import { type Bundles, bundleAll } from "./bundle.ts";
import { Data } from "./data.ts";
import { Load } from "./load.ts";
import { type Making, measureMaking } from "./making.ts";
import { judge, type Plan, type Result, type Setting } from "./measure.ts";
import { container, hasEngine } from "./measures/container.ts";
import { creation } from "./measures/creation.ts";
import { depth, growth } from "./measures/growth.ts";
import { page, pageInBareApp } from "./measures/page.ts";
import { firstStart, start } from "./measures/start.ts";
import type { Framework, Options } from "./options.ts";

const fullPlan: Plan = { rounds: 8, roundMs: 500, warmUpMs: 1000, starts: 17, makings: 11 };
const quickPlan: Plan = { rounds: 5, roundMs: 200, warmUpMs: 300, starts: 15, makings: 5 };

const measures = [page, pageInBareApp, creation, growth, depth, start, firstStart, ...(hasEngine() ? [container] : [])];

/** What is measured for these frameworks: in a quick run, what has a goal for one of them. */
export function measuresFor({ quick, frameworks }: Options) {
  return measures.filter(({ goal }) => !quick || frameworks.some((framework) => goal(framework)));
}

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
  const load = new Load();
  try {
    const data = new Data();
    const prepared = await data.prepare((bundles.values().next().value as Bundles).backend);
    const setting = { plan, load, data, prepared };
    const results: Result[] = [];
    for (const [framework, files] of bundles)
      results.push(...(await measureAll(options, framework, { ...setting, bundles: files })));
    return results;
  } finally {
    load.end();
  }
}

async function measureAll(options: Options, framework: Framework, setting: Setting): Promise<Result[]> {
  const results: Result[] = [];
  for (const measure of measuresFor(options)) {
    process.stderr.write(`${framework}: ${measure.title}\n`);
    results.push(judge(framework, measure, await measure.take(setting)));
  }
  return results;
}
