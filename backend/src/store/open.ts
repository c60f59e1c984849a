import type { Config } from "../config.ts";
import * as postgres from "./postgres.ts";
import * as sqlite from "./sqlite.ts";
import type { Store } from "./store.ts";

export const protocols = [...sqlite.protocols, ...postgres.protocols];
export const { defaultUrl } = sqlite;

/** Opens the store of the kind that `DATABASE_URL` names. */
export function openStore(config: Config): Promise<Store> {
  const isSqlite = sqlite.protocols.some((protocol) => config.databaseUrl.startsWith(protocol));
  return isSqlite ? sqlite.openStore(config) : postgres.openStore(config);
}
