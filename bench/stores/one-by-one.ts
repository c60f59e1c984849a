import { randomUUIDv7 } from "node:crypto";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Resource } from "../../backend/src/core/resource.ts";
import { createStore as createSqlite, type StoreFeature } from "../../backend/src/core/store/sqlite.ts";
import type { Store, StoreConfig, Table } from "../../backend/src/core/store/store.ts";

export * from "../../backend/src/core/store/sqlite.ts";

/** The backend's store, but with one transaction for each creation, equally durable. */
export function createStore(config: StoreConfig, features: StoreFeature[]): Store {
  const store = createSqlite(config, features);
  let db: DatabaseSync;
  const { table, open } = store;
  store.table = <T extends object>(resource: Resource<T>): Table<T> => {
    const fields = Object.keys(resource.columns) as (keyof T & string)[];
    let insert: StatementSync | undefined;
    return {
      ...table(resource),
      async create(item) {
        insert ??= db.prepare(insertInto(resource.name, fields));
        const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
        db.exec("BEGIN IMMEDIATE");
        insert.run(made.id, made.createdAt, ...fields.map((field) => item[field] as SQLInputValue));
        db.exec("COMMIT");
        return JSON.stringify(made);
      },
    };
  };
  store.open = async () => {
    await open();
    db = new DatabaseSync(fileURLToPath(config.databaseUrl));
    db.exec("PRAGMA synchronous = FULL");
  };
  return store;
}

function insertInto(table: string, fields: string[]): string {
  return `INSERT INTO "${table}" (id, created_at, ${fields.map((field) => `"${field}"`).join()})
    VALUES (?, ?, ${fields.map(() => "?").join()})`;
}
