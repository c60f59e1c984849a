import { type Read, url } from "../environment.ts";
import { readConnectionSettings } from "./connection.ts";
import * as postgres from "./postgres.ts";
import * as sqlite from "./sqlite.ts";

export function readStoreSettings(read: Read) {
  return readConnectionSettings(read, sqlite.defaultUrl, url([...sqlite.protocols, ...postgres.protocols]));
}

/** What a store needs from a feature. */
export interface StoreFeature extends sqlite.StoreFeature, postgres.StoreFeature {}

/** The store for the database in `DATABASE_URL`: its `kind` tells which. */
export function createStore(
  config: postgres.PostgresConfig,
  features: StoreFeature[] = [],
): sqlite.SqliteStore | postgres.PostgresStore {
  const isSqlite = sqlite.protocols.some((protocol) => config.databaseUrl.startsWith(protocol));
  return isSqlite ? sqlite.createStore(config, features) : postgres.createStore(config, features);
}
