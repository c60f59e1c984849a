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

const fullPlan = {
  replicas: [1, 2, 4, 8, 16],
  resources: [1, 4, 16],
  items: [1000, 10_000, 100_000],
  clients: [0, 500, 1000, 2000],
  warmUpMs: 1000,
  loadMs: 3000,
  // The driver closes a connection after ten seconds without use.
  settleMs: 11_000,
  idleMs: 20_000,
  rounds: 5,
};
const quickPlan: typeof fullPlan = {
  ...fullPlan,
  replicas: [1, 4, 8],
  resources: [1, 4],
  warmUpMs: 500,
  loadMs: 1000,
  settleMs: 4000,
  idleMs: 10_000,
  rounds: 3,
};

/** What the measurements share. */
export interface ScaleSetting {
  plan: typeof fullPlan;
  postgres: ObservedPostgres;
  load: Load;
  /** A backend with what works in the background. */
  bundle: string;
  report(progress: string): void;
}

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
