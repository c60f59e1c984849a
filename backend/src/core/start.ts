import { setTimeout as sleep } from "node:timers/promises";
import { integer, oneOf, type Read } from "./environment.ts";
import { type AppListener, AppServer, createHttpServer, type Guard, readServerSettings } from "./http/server.ts";
import { flushLog, log, logging, logLevels } from "./log.ts";
import { StartError, unavailable } from "./problem.ts";
import { createStore, readStoreSettings, type StoreFeature } from "./store/open.ts";
import { readSchemaSettings } from "./store/schema.ts";

/** The settings of the core. Features add theirs. */
export interface Settings extends ReturnType<typeof readOwn> {}

/** The settings of the core and of these features. */
export function coreSettings(read: Read, features: Feature[]): Settings {
  return Object.assign(readOwn(read), ...features.map((feature) => feature.readSettings?.(read)));
}

function readOwn(read: Read) {
  return {
    ...readServerSettings(read),
    ...readStoreSettings(read),
    ...readSchemaSettings(read),
    migrate: read("MIGRATE", "on", oneOf(["on", "off", "only", "plan"])),
    logLevel: read("LOG_LEVEL", "info", oneOf(logLevels)),
    drainDelayMs: read("DRAIN_DELAY_MS", "0", integer(0)),
  };
}

/** What an app gets from the core. Features add theirs. */
export interface CoreParts<Config extends Settings = Settings> {
  config: Config;
  store: ReturnType<typeof createStore>;
  /** Throws while the server cannot take traffic. */
  health(): Promise<void>;
  /** For packages that need a server, like `new WebSocketServer({ server })`. */
  server: AppServer;
}

/** What is started: an app and its settings. Features add what they need from `main.ts`. */
export interface Program<Config extends Settings, App = unknown> {
  readConfig(env: NodeJS.ProcessEnv): Config;
  createApp(parts: CoreParts<Config>): App | Promise<App>;
  /** Connects the app's framework with the server. */
  toListener(app: App, parts: CoreParts<Config>): AppListener | Promise<AppListener>;
}

/**
 * What a feature adds to a backend. The core knows none of them: at startup it asks those in the list of
 * `src/features.ts`, in their order, for what they have. A feature declares the types of what it adds in its own folder.
 * `StoreFeature` is what it adds to tables.
 */
export interface Feature extends StoreFeature {
  /** Reads its settings, which `config` then has. */
  readSettings?(read: Read): object;
  /** Creates what handlers get from it, which `parts` then has. The store is not open yet. */
  createParts?(config: Settings, store: CoreParts["store"]): object;
  /** The headers that its clients send, and those that they read, for features that let browsers use them. */
  requestHeaders?: string[];
  responseHeaders?: string[];
  /** Called once the routes are known. Every request passes the guard before it is routed. */
  createGuard?(app: AppListener, parts: CoreParts, features: Feature[]): Guard;
  /** Creates what works in the background, before the store is opened. `app` is what `createApp` has returned. */
  createWorker?(parts: CoreParts, program: Program<Settings>, app: unknown): Worker;
}

/** What a feature does besides answering requests. */
export interface Worker {
  /** The store is open. */
  start(): void;
  /** Begins nothing new; resolves when what was begun has ended. */
  stop(): Promise<void>;
  /** Whether it caused an error that nothing has caught. The process can then continue. */
  hasCaused(error: unknown): boolean;
}

/** Starts a program with its features. It runs until a signal stops it. */
export function start<Config extends Settings, App>(program: Program<Config, App> & { features: Feature[] }): void {
  run(program).catch((error) => {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  });
}

async function run<Config extends Settings, App>(
  program: Program<Config, App> & { features: Feature[] },
): Promise<void> {
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

  const created = await program.createApp(parts);
  const app = await program.toListener(created, parts);
  if (config.migrate === "only" || config.migrate === "plan") {
    logging.level = "warn";
    for (const line of await store.migrate(config.migrate === "plan")) console.log(line);
    process.exit(0);
  }
  const workers = features.flatMap((feature) => feature.createWorker?.(parts, program, created) ?? []);
  await store.open();
  for (const worker of workers) worker.start();
  const server = createHttpServer(app, config, parts.server, createGuards(features, app, parts));

  let mayRepeat = false;

  const stop = async (exitCode: number, signal = "SIGTERM") => {
    // A library that has waited for the connections, too, may send the signal again.
    if (isStopping && !mayRepeat) process.exit(1);
    mayRepeat = false;
    if (isStopping) return;
    isStopping = true;
    log("info", "stopping");
    server.announceStop();
    await sleep(config.drainDelayMs);
    setTimeout(() => process.exit(1), config.shutdownTimeoutMs + 250);
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    const isClean = await server.drain();
    mayRepeat = true;
    // After an error, another process soon starts in its place, and does the rest of the work.
    if (exitCode === 0) await stopped;
    await Promise.all([app.close?.(signal), server.endUpgrades()]);
    await store.close();
    process.exit(isClean ? exitCode : 1);
  };

  process.on("exit", flushLog);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop(0, signal));
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

/** The guards of the features, in their order. */
export function createGuards(features: Feature[], app: AppListener, parts: CoreParts): Guard[] {
  return features.flatMap((feature) => feature.createGuard?.(app, parts, features) ?? []);
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
