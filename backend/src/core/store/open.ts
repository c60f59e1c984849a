import * as postgres from "./postgres.ts";
import * as sqlite from "./sqlite.ts";
import type { StoreConfig } from "./store.ts";

export const protocols = [...sqlite.protocols, ...postgres.protocols];
export const { defaultUrl } = sqlite;

/** What a store needs from a feature. */
export interface StoreFeature extends sqlite.StoreFeature, postgres.StoreFeature {}

/** The store for the database in `DATABASE_URL`: its `kind` tells which. */
export function createStore(
  config: StoreConfig,
  features: StoreFeature[] = [],
): sqlite.SqliteStore | postgres.PostgresStore {
  const isSqlite = sqlite.protocols.some((protocol) => config.databaseUrl.startsWith(protocol));
  return isSqlite ? sqlite.createStore(config, features) : postgres.createStore(config, features);
}
