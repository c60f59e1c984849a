import { setTimeout as sleep } from "node:timers/promises";
import { createGet, createPost, type Request } from "../load.ts";
import { insertItems } from "../postgres.ts";
import { Server } from "../server.ts";
import { type Series, toSeries } from "./series.ts";
import type { ScaleSetting } from "./setting.ts";

const creation = createPost("/items", JSON.stringify({ name: "Item number 00000000" }));

/** Replicas that start together, do nothing for a while, and then have work. */
export async function measureReplicas(setting: ScaleSetting): Promise<Series[]> {
  const measured = new Map<number, Record<string, number>>();
  for (const count of setting.plan.replicas) {
    setting.report(`replicas: ${count}`);
    measured.set(count, await measure(setting, count));
  }
  return toSeries("replicas", measured);
}

async function measure(setting: ScaleSetting, count: number) {
  const { postgres, plan, bundle } = setting;
  const DATABASE_URL = await postgres.createDatabase();
  const startAll = () =>
    postgres.watch(DATABASE_URL, () =>
      Promise.all(Array.from({ length: count }, () => Server.start(bundle, "/health", { DATABASE_URL }))),
    );
  const first = await startAll();
  for (const server of first.result) await server.stop();
  await insertItems(DATABASE_URL, 1000);
  const before = await postgres.countStatements(DATABASE_URL);
  const again = await startAll();
  const started = await postgres.countStatements(DATABASE_URL);
  const servers = again.result;
  await sleep(plan.settleMs);
  const idle = await countWhile(setting, DATABASE_URL, () => sleep(plan.idleMs));
  const pages = await countWhile(setting, DATABASE_URL, () => work(setting, servers, createGet("/items")));
  const creations = await countWhile(setting, DATABASE_URL, () => work(setting, servers, creation));
  await sleep(plan.settleMs);
  const calm = await postgres.watch(DATABASE_URL, () => sleep(500));
  for (const server of servers) await server.stop();
  return {
    "First start, most waits for a lock at a time": first.waits,
    "First start, most connections": first.connections,
    "Later start, most waits for a lock at a time": again.waits,
    "Later start, statements": started - before,
    "Idle, statements in a second": idle.statements / (plan.idleMs / 1000),
    "Idle, most connections": idle.connections,
    "GET /items, most connections": pages.connections,
    "GET /items, requests in a second": pages.result.rate,
    "GET /items, statements for a request": pages.statements / pages.result.allCount,
    "GET /items, CPU µs for a request, backends": pages.result.ownMicros,
    "GET /items, CPU µs for a request, database": pages.result.databaseMicros,
    "POST /items, most connections": creations.connections,
    "POST /items, requests in a second": creations.result.rate,
    "POST /items, statements for a request": creations.statements / creations.result.allCount,
    "POST /items, CPU µs for a request, backends": creations.result.ownMicros,
    "POST /items, CPU µs for a request, database": creations.result.databaseMicros,
    "After work, connections": calm.connections,
  };
}

async function countWhile<T>({ postgres }: ScaleSetting, url: string, work: () => Promise<T>) {
  const before = await postgres.countStatements(url);
  const watched = await postgres.watch(url, work);
  return { ...watched, statements: (await postgres.countStatements(url)) - before };
}

/** Repeats a request with all clients, and returns what it costs. */
async function work({ load, postgres, plan }: ScaleSetting, servers: Server[], request: Request) {
  const ports = servers.map(({ port }) => port);
  // Replicas share the cores: with more of them, each needs longer until its code is compiled.
  const warmUp = await load.run(ports, request, plan.warmUpMs * servers.length);
  const readOwn = () => servers.reduce((sum, server) => sum + server.cpuSeconds(), 0);
  const before = { own: readOwn(), database: postgres.cpuSeconds() };
  const { count, rate } = await load.run(ports, request, plan.loadMs);
  const toMicros = (seconds: number) => (seconds * 1e6) / count;
  return {
    rate,
    allCount: warmUp.count + count,
    ownMicros: toMicros(readOwn() - before.own),
    databaseMicros: toMicros(postgres.cpuSeconds() - before.database),
  };
}
