import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { everyDatabase } from "../../kit/test/databases.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import { prune, pruneAll } from "../../src/core/features/item-routes/store/prune.ts";
import { logging } from "../../src/core/log.ts";
import { createStore } from "../../src/core/store/open.ts";
import type { Query, Table } from "../../src/core/store/store.ts";
import { features } from "../../src/features.ts";
import { items } from "../../src/items/item.ts";

logging.level = "silent";
const day = 86_400_000;

for (const [kind, newDatabase] of await everyDatabase())
  describe(`what outlives an item on ${kind}`, { timeout: 60_000 }, () => {
    test("is forgotten after 30 days, a thousand rows at a time, and not before", async () => {
      const url = await newDatabase();
      await using store = await open(url);
      await removeOne(store.table, "fresh");
      await execute(url, manyKeys(kind, 1500));
      await execute(url, `UPDATE items_keys SET kept_at = ${Date.now() - 31 * day} WHERE key <> 'fresh'`);
      await execute(url, `UPDATE items_keys SET kept_at = ${Date.now() - 29 * day} WHERE key = '1'`);
      const query: Query = (text, values) => execute(url, text, values) as never;
      assert.deepEqual([await prune("items_keys", query), await prune("items_keys", query)], [1000, 499]);
      assert.deepEqual(await execute(url, "SELECT key FROM items_keys ORDER BY key"), [["1"], ["fresh"]]);
      assert.equal(await prune("items_deleted", query), 0);
      await execute(url, `UPDATE items_deleted SET kept_at = ${Date.now() - 31 * day}`);
      assert.equal(await prune("items_deleted", query), 1);
    });

    test("is looked for with one statement, however many tables there are", async () => {
      const url = await newDatabase();
      await using store = await open(url);
      await removeOne(store.table, "old");
      await execute(url, `UPDATE items_keys SET kept_at = ${Date.now() - 31 * day}`);
      const statements: string[] = [];
      const query: Query = (text, values) => {
        statements.push(text);
        return execute(url, text, values) as never;
      };
      const tables = ["items_keys", "items_deleted"];
      await pruneAll(tables, query);
      assert.deepEqual([statements.length, await execute(url, "SELECT key FROM items_keys")], [2, []]);
      await pruneAll([...tables, ...tables, ...tables], query);
      assert.equal(statements.length, 3);
    });

    test("is kept when an older table gets the column", async () => {
      const url = await newDatabase();
      await (await open(url))[Symbol.asyncDispose]();
      await execute(url, "DROP INDEX items_keys_kept");
      await execute(url, "DROP INDEX items_deleted_kept");
      for (const table of ["items_keys", "items_deleted"])
        await execute(url, `ALTER TABLE ${table} DROP COLUMN kept_at`);
      await execute(url, "INSERT INTO items_keys (key, item) VALUES ('old', '{}')");
      await using store = await open(url);
      await removeOne(store.table, "new");
      const [old, fresh] = (await execute(url, "SELECT kept_at FROM items_keys ORDER BY key = 'new'"))
        .flat()
        .map(Number);
      assert.ok(Math.abs(Date.now() - (old ?? 0)) < day && (fresh ?? 0) >= (old ?? 0));
      assert.equal((await execute(url, "SELECT 1 FROM items_deleted WHERE kept_at > 1000")).length, 1);
    });
  });

test("replicas that forget at the same time do not wait for each other", { timeout: 60_000 }, async () => {
  const url = await (await newPostgresDatabases())();
  await using _store = await open(url);
  await execute(url, manyKeys("PostgreSQL", 1500));
  await execute(url, "UPDATE items_keys SET kept_at = 1");
  const other = new Client(url);
  await other.connect();
  await other.query("BEGIN");
  const skipLocked = "FOR UPDATE SKIP LOCKED";
  const query: Query = async (text, values) => (await other.query({ text, values, rowMode: "array" })).rows as never;
  assert.equal(await prune("items_keys", query, skipLocked), 1000);
  assert.equal(await prune("items_keys", (text, values) => execute(url, text, values) as never, skipLocked), 500);
  await other.query("COMMIT");
  await other.end();
});

const manyKeys = (kind: string, count: number) =>
  kind === "SQLite"
    ? `INSERT INTO items_keys (key) WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${count}) SELECT value FROM series`
    : `INSERT INTO items_keys (key) SELECT value FROM generate_series(1, ${count}) value`;

/** Creates an item with a key, and deletes it. */
async function removeOne({ create, rows }: Table<{ name: string }>, idempotencyKey: string): Promise<void> {
  const { id } = JSON.parse(await create({ name: "Boat" }, { idempotencyKey }));
  assert.ok(await rows.remove(id, (await rows.find(id)) ?? ""));
}

async function open(databaseUrl: string) {
  const store = createStore({ databaseUrl, handlerTimeoutMs: 20_000 }, features);
  const table = store.table(items);
  await store.open();
  return { table, [Symbol.asyncDispose]: () => store.close() };
}

async function execute(url: string, text: string, values: unknown[] = []): Promise<unknown[][]> {
  if (url.startsWith("file:")) {
    using db = new DatabaseSync(fileURLToPath(url), { returnArrays: true, timeout: 5000 });
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value as string]));
    return db.prepare(text).all(named) as unknown as unknown[][];
  }
  const client = new Client(url);
  await client.connect();
  return (await client.query({ text, values, rowMode: "array" }).finally(() => client.end())).rows;
}
