import type { Config } from "../../backend/src/config.ts";
import { openStore as openSqlite } from "../../backend/src/store/sqlite.ts";
import type { Store } from "../../backend/src/store/store.ts";

export * from "../../backend/src/store/sqlite.ts";

/** The backend's store, but every page is the first one as it was at the start. */
export async function openStore(config: Config): Promise<Store> {
  const store = await openSqlite(config);
  const page = await store.list({ limit: 20, cursor: undefined });
  return { ...store, list: async () => page };
}
