import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "./config.ts";
import { type CoreParts, createGuards, type Feature, type Program } from "./feature.ts";
import { AppServer, createHttpServer } from "./http/server.ts";
import { flushLog, log, logging } from "./log.ts";
import { StartError, unavailable } from "./problem.ts";
import { createStore } from "./store/open.ts";

/** Starts a program with its features. It runs until a signal stops it. */
export function start<Config extends Settings>(program: Program<Config> & { features: Feature[] }): void {
  run(program).catch((error) => {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  });
}

async function run<Config extends Settings>(program: Program<Config> & { features: Feature[] }): Promise<void> {
  const { features } = program;
  const config = program.readConfig(process.env);
  logging.level = config.logLevel;
  const parts = createParts(config, features);
  const { store, health } = parts;
  let isStopping = false;
  parts.health = async () => {
    if (isStopping) throw unavailable();
    await health();
  };

  const app = await program.createListener(parts);
  if (config.migrate === "only" || config.migrate === "plan") {
    logging.level = "warn";
    for (const line of await store.migrate(config.migrate === "plan")) console.log(line);
    process.exit(0);
  }
  const workers = features.flatMap((feature) => feature.createWorker?.(parts, program) ?? []);
  await store.open();
  for (const worker of workers) worker.start();
  const server = createHttpServer(app, config, parts.server, createGuards(features, app, parts));

  const stop = async (exitCode: number) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log("info", "stopping");
    await sleep(config.drainDelayMs);
    setTimeout(() => process.exit(1), config.shutdownTimeoutMs + 250);
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    const isClean = await server.drain();
    // After an error, another process soon starts in its place, and does the rest of the work.
    if (exitCode === 0) await stopped;
    await Promise.all([app.close?.(), server.endUpgrades()]);
    await store.close();
    process.exit(isClean ? exitCode : 1);
  };

  process.on("exit", flushLog);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(0));
  process.on("uncaughtException", (error) => {
    if (workers.some((worker) => worker.hasCaused(error))) return;
    if (server.hasCaused(error)) return;
    log("error", "stopping after an unhandled error", { error });
    void stop(1);
  });

  log("info", "listening", { port: await server.listen() });
}

/** Creates the parts. The store is not open yet: an app first names its tables. */
export function createParts<Config extends Settings>(config: Config, features: Feature[]): CoreParts<Config> {
  const store = createStore(config, features);
  const parts = { config, store, health: createHealthCheck(store), server: new AppServer() };
  return Object.assign(parts, ...features.map((feature) => feature.createParts?.(config, store)));
}

/** Throws if the database does not answer. Anyone may ask as often as they like: the database is asked ten times a second at most. */
function createHealthCheck(store: { ping(): Promise<void> }): () => Promise<void> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isUp = Promise.resolve(false);
  return async () => {
    if (performance.now() - askedAt >= 100) {
      askedAt = performance.now();
      isUp = answersWithin(1000, store.ping());
    }
    if (!(await isUp)) throw unavailable();
  };
}

function answersWithin(ms: number, answer: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    answer.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
