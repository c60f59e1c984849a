import type { Settings } from "./config.ts";
import type { Read } from "./environment.ts";
import type { AppListener, AppServer, Guard } from "./http/server.ts";
import type { createStore, StoreFeature } from "./store/open.ts";

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
export interface Program<Config extends Settings> {
  readConfig(env: NodeJS.ProcessEnv): Config;
  createListener(parts: CoreParts<Config>): AppListener | Promise<AppListener>;
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
  /** Creates what works in the background, before the store is opened. */
  createWorker?(parts: CoreParts, program: Program<Settings>): Worker;
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

/** The guards of the features, in their order. */
export function createGuards(features: Feature[], app: AppListener, parts: CoreParts): Guard[] {
  return features.flatMap((feature) => feature.createGuard?.(app, parts, features) ?? []);
}
