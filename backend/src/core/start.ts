import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "./config.ts";
import type { Handlers } from "./features/webhooks/sources.ts";
import type { Webhooks } from "./features/webhooks/webhooks.ts";
import { createHttpServer } from "./http/server.ts";
import { flushLog, log, logging } from "./log.ts";
import { type AppListener, type CoreParts, createParts } from "./parts.ts";
import { unavailable } from "./problem.ts";
import { StartError } from "./start-error.ts";

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
  const parts = createParts(config);
  const { store, health } = parts;
  const webhooks: Webhooks = parts.webhooks;
  let isStopping = false;
  parts.health = async () => {
    if (isStopping) throw unavailable();
    await health();
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
