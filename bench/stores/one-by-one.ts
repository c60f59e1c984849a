import { randomUUIDv7 } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Config } from "../../backend/src/config.ts";
import { columns, type NewItem } from "../../backend/src/item.ts";
import { openStore as openSqlite } from "../../backend/src/store/sqlite.ts";
import type { Store } from "../../backend/src/store/store.ts";

export * from "../../backend/src/store/sqlite.ts";

const fields = Object.keys(columns) as (keyof NewItem)[];

/** The backend's store, but each creation is a transaction of its own, as durable as the backend's. */
export async function openStore(config: Config): Promise<Store> {
  const store = await openSqlite(config);
  const db = new DatabaseSync(fileURLToPath(config.databaseUrl));
  db.exec("PRAGMA synchronous = FULL");
  const insert = db.prepare(
    `INSERT INTO items (id, created_at, ${fields.map((field) => `"${field}"`).join()})
     VALUES (?, ?, ${fields.map(() => "?").join()})`,
  );
  const create: Store["create"] = async ({ item }) => {
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    db.exec("BEGIN IMMEDIATE");
    insert.run(made.id, made.createdAt, ...fields.map((field) => item[field]));
    db.exec("COMMIT");
    return JSON.stringify(made);
  };
  return { ...store, create };
}
