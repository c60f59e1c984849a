import { bundleRequest } from "../bundle.ts";
import { Load } from "../load.ts";
import type { Options } from "../options.ts";
import { measureClients } from "./clients.ts";
import { measureCreations } from "./creations.ts";
import { ObservedPostgres } from "./database.ts";
import { measureItems } from "./items.ts";
import { measureReplicas } from "./replicas.ts";
import { scaleRequest } from "./request.ts";
import { measureResources } from "./resources.ts";
import type { Series } from "./series.ts";
import { fullPlan, quickPlan } from "./setting.ts";

/** What grows with replicas, resources, items, clients and creations, on one PostgreSQL server. */
export async function runScale({ quick }: Pick<Options, "quick">): Promise<Series[]> {
  const bundle = await bundleRequest(scaleRequest(1));
  const postgres = await ObservedPostgres.start();
  const load = new Load();
  const report = (progress: string) => void process.stderr.write(`${progress}\n`);
  const setting = { plan: quick ? quickPlan : fullPlan, postgres, load, bundle, report };
  try {
    const series: Series[] = [];
    for (const measure of [measureReplicas, measureResources, measureItems, measureClients, measureCreations])
      series.push(...(await measure(setting)));
    return series;
  } finally {
    load.end();
    await postgres.stop();
  }
}
