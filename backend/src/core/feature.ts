import type { Settings } from "./config.ts";
import type { Read } from "./environment.ts";
import type { AppListener } from "./http/app-server.ts";
import type { Guard } from "./http/server.ts";
import type { CoreParts, Program } from "./parts.ts";
import type { PostgresHooks } from "./store/postgres.ts";
import type { SqliteHooks } from "./store/sqlite.ts";

/**
 * What a feature adds to a backend. The core knows none of them: at startup it asks those in the list of
 * `src/features.ts`, in their order, for what they have. A feature declares the types of what it adds in its own folder.
 */
export interface Feature {
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
  /** What it adds to tables in SQLite. */
  sqlite?: SqliteHooks;
  /** What it adds to tables in PostgreSQL. */
  postgres?: PostgresHooks;
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
