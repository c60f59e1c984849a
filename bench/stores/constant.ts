import { createStore as createSqlite } from "../../backend/src/core/store/sqlite.ts";
import type { Store, StoreConfig, Table } from "../../backend/src/core/store/store.ts";

export * from "../../backend/src/core/store/sqlite.ts";

/** The backend's store, but every page is a copy of the first one that was read. */
export function createStore(config: StoreConfig): Store {
  const store = createSqlite(config);
  return {
    ...store,
    table(resource) {
      const table: Table<never> = store.table(resource) as never;
      let page: Promise<string> | undefined;
      const list = (asked: Parameters<typeof table.list>[0]) => {
        page ??= table.list(asked);
        return page;
      };
      return { ...table, list } as never;
    },
  };
}
