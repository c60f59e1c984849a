import { setTimeout as sleep } from "node:timers/promises";
import { bundleRequest } from "../bundle.ts";
import { Server } from "../server.ts";
import { readNumber } from "./database.ts";
import { scaleRequest } from "./request.ts";
import { type Series, toSeries } from "./series.ts";
import type { ScaleSetting } from "./setting.ts";

/** A backend with more and more resources, which starts, is asked for its health, and does nothing. */
export async function measureResources({ postgres, plan, report }: ScaleSetting): Promise<Series[]> {
  const measured = new Map<number, Record<string, number>>();
  for (const count of plan.resources) {
    report(`resources: ${count}`);
    const bundle = await bundleRequest(scaleRequest(count));
    const DATABASE_URL = await postgres.createDatabase();
    await (await Server.start(bundle, "/health", { DATABASE_URL })).stop();
    const before = await postgres.countStatements(DATABASE_URL);
    const server = await Server.start(bundle, "/health", { DATABASE_URL });
    const started = await postgres.countStatements(DATABASE_URL);
    await sleep(plan.settleMs);
    const idle = (await postgres.countStatements(DATABASE_URL)) - started;
    measured.set(count, {
      Tables: await readNumber(DATABASE_URL, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"),
      "Later start, statements": started - before,
      "Idle, statements in a second": idle / (plan.settleMs / 1000),
    });
    await server.stop();
  }
  return toSeries("resources", measured);
}
