import * as postgres from "./postgres.ts";
import * as sqlite from "./sqlite.ts";
import type { Store, StoreConfig } from "./store.ts";

export const protocols = [...sqlite.protocols, ...postgres.protocols];
export const { defaultUrl } = sqlite;

/** The store for the database in `DATABASE_URL`. */
export function createStore(config: StoreConfig): Store {
  const isSqlite = sqlite.protocols.some((protocol) => config.databaseUrl.startsWith(protocol));
  return isSqlite ? sqlite.createStore(config) : postgres.createStore(config);
}
