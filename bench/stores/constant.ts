import { createStore as createSqlite, type StoreFeature } from "../../backend/src/core/store/sqlite.ts";
import type { Store, StoreConfig, Table } from "../../backend/src/core/store/store.ts";

export * from "../../backend/src/core/store/sqlite.ts";

/** The backend's store, but every page is a copy of the first one that was read. */
export function createStore(config: StoreConfig, features: StoreFeature[]): Store {
  const store = createSqlite(config, features);
  const { table } = store;
  store.table = (resource) => {
    const own: Table<never> = table(resource) as never;
    let page: Promise<string> | undefined;
    const list = (asked: Parameters<typeof own.list>[0]) => {
      page ??= own.list(asked);
      return page;
    };
    return { ...own, list } as never;
  };
  return store;
}
