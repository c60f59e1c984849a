import { findQuantile } from "../comparison.ts";
import { createGet, toId } from "../load.ts";
import { insertItems } from "../postgres.ts";
import { Server } from "../server.ts";
import { type Series, toSeries } from "./series.ts";
import type { ScaleSetting } from "./setting.ts";

const roundMs = 500;

/** What a page costs, the first and one in the middle, by CPU time of the backend and the database. Sizes take turns. */
export async function measureItems(setting: ScaleSetting): Promise<Series[]> {
  setting.report("items");
  const sides = await Promise.all(setting.plan.items.map((count) => start(setting, count)));
  const costs = new Map<string, number[]>();
  for (let round = 0; round <= setting.plan.rounds; round++)
    for (const { server, count, paths } of sides)
      for (const path of paths) {
        const cost = await measureCost(setting, server, path);
        // The first round warms up.
        if (round > 0) costs.getOrInsertComputed(`${count}${path}`, () => []).push(cost);
      }
  for (const { server } of sides) await server.stop();
  const read = (count: number, path = "") => findQuantile(costs.get(`${count}${path}`) ?? [], 0.5);
  const measured = sides.map(({ count, paths: [first, middle] }) => {
    const values = {
      "First page, CPU µs for a request": read(count, first),
      "Page in the middle, CPU µs for a request": read(count, middle),
    };
    return [count, values] as const;
  });
  return toSeries("items", new Map(measured));
}

async function start({ postgres, bundle }: ScaleSetting, count: number) {
  const DATABASE_URL = await postgres.createDatabase();
  await (await Server.start(bundle, "/health", { DATABASE_URL })).stop();
  await insertItems(DATABASE_URL, count);
  const server = await Server.start(bundle, "/health", { DATABASE_URL });
  return { server, count, paths: ["/items", `/items?cursor=${toId(count / 2)}`] };
}

async function measureCost({ postgres, load }: ScaleSetting, server: Server, path: string): Promise<number> {
  const before = server.cpuSeconds() + postgres.cpuSeconds();
  const { count } = await load.run([server.port], createGet(path), roundMs);
  return ((server.cpuSeconds() + postgres.cpuSeconds() - before) * 1e6) / count;
}
