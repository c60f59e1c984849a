import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "./config.ts";
import type { Handlers } from "./features/webhooks/sources.ts";
import { createWebhooks } from "./features/webhooks/webhooks.ts";
import { AppServer } from "./http/app-server.ts";
import { createHttpServer } from "./http/server.ts";
import { flushLog, log, logging } from "./log.ts";
import type { AppListener, CoreParts } from "./parts.ts";
import { unavailable } from "./problem.ts";
import { StartError } from "./start-error.ts";
import { createStore } from "./store/open.ts";

/** What is started: the app, its settings and its handlers. */
export interface Program<Config extends Settings> {
  readConfig(env: NodeJS.ProcessEnv): Config;
  createListener(parts: CoreParts<Config>): AppListener | Promise<AppListener>;
  webhookHandlers(parts: CoreParts<Config>): Handlers;
}

/** Starts a program. It runs until a signal stops it. */
export function start<Config extends Settings>(program: Program<Config>): void {
  run(program).catch((error) => {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  });
}

async function run<Config extends Settings>(program: Program<Config>): Promise<void> {
  const config = program.readConfig(process.env);
  logging.level = config.logLevel;
  const store = createStore(config);
  let isStopping = false;

  let askedAt = Number.NEGATIVE_INFINITY;
  let isUp = Promise.resolve(false);
  const health = async () => {
    if (isStopping) throw unavailable();
    // Anyone may call this as often as they like: the database is checked ten times a second at most.
    if (performance.now() - askedAt >= 100) {
      askedAt = performance.now();
      isUp = answersWithin(1000, store.ping());
    }
    if (!(await isUp)) throw unavailable();
  };

  const webhooks = createWebhooks(config.webhooks, store);
  const parts = {
    config,
    store,
    health,
    server: new AppServer(),
    webhooks,
  };
  const app = await program.createListener(parts);
  const handlers: Handlers = program.webhookHandlers(parts);
  await store.open();
  webhooks.start(handlers);
  const server = createHttpServer(app, config, parts.server);

  const stop = async (exitCode: number) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log("info", "stopping");
    await sleep(config.drainDelayMs);
    setTimeout(() => process.exit(1), config.shutdownTimeoutMs + 250);
    const handled = webhooks.stop();
    const isClean = await server.drain();
    // After an error, another process soon starts in its place, and handles the rest.
    if (exitCode === 0) await handled;
    await Promise.all([app.close?.(), server.endUpgrades()]);
    await store.close();
    process.exit(isClean ? exitCode : 1);
  };

  process.on("exit", flushLog);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(0));
  process.on("uncaughtException", (error) => {
    if (webhooks.hasCaused(error)) return;
    if (server.hasCaused(error)) return;
    log("error", "stopping after an unhandled error", { error });
    void stop(1);
  });

  log("info", "listening", { port: await server.listen() });
}

function answersWithin(ms: number, answer: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    answer.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
