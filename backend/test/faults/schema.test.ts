import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import * as v from "valibot";
import { apiTokens } from "../../kit/suite/auth/tokens.ts";
import { corsOrigins } from "../../kit/suite/cors/origins.ts";
import { webhookSecrets } from "../../kit/suite/webhooks/senders.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import { readConfig } from "../../src/config.ts";
import { logging } from "../../src/core/log.ts";
import { exactly, type Resource } from "../../src/core/resource.ts";
import { connectTo } from "../../src/core/store/connection.ts";
import { createStore } from "../../src/core/store/open.ts";
import { placeInSchema, schemaName } from "../../src/core/store/schema.ts";
import { features } from "../../src/features.ts";
import { items } from "../../src/items/item.ts";

logging.level = "silent";
const newDatabase = await newPostgresDatabases();
const anyPage = { limit: 10, cursor: undefined };
const counted = exactly({ count: v.number() });
const counts: Resource<{ count: number }> = {
  name: "items",
  title: "Item",
  schema: counted,
  columns: { count: { type: "integer", isRequired: false } },
};
const event = { source: "github", id: "1", type: "push", body: Buffer.from("{}") } as const;

describe("services on one PostgreSQL database", () => {
  test("have items of different fields, and webhooks, that the others do not see", async () => {
    const url = await newDatabase();
    await using api = await openStore(url, "api", items);
    // SQL's reserved words, and a dash, need quotes.
    await using jobs = await openStore(url, "user-jobs", counts);
    await api.table.create({ name: "Boat" });
    await jobs.table.create({ count: 5 });
    assert.match(await api.table.list(anyPage), /^\{"items":\[\{"id":"[^"]+","name":"Boat",[^{]*\]/);
    assert.match(await jobs.table.list(anyPage), /^\{"items":\[\{"id":"[^"]+","count":5,[^{]*\]/);
    assert.deepEqual([await api.inbox.accept(event), await api.inbox.accept(event)], [true, false]);
    assert.deepEqual([await jobs.inbox.claim(1, 1000), await jobs.inbox.accept(event)], [[], true]);
    assert.deepEqual(await listSchemas(url), ["api", "user-jobs"]);
  });

  test("may have many replicas that start at the same time in a schema that does not exist yet", async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 10 }, () => openStore(url, "order", items)));
    await Promise.all(stores.map(({ table }) => table.create({ name: "Boat" })));
    assert.equal(JSON.parse((await stores[0]?.table.list(anyPage)) ?? "").items.length, 10);
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  });

  test("may have a schema that an administrator created, without the right to create one", async () => {
    const url = await newDatabase();
    const role = `role_${process.pid}`;
    const password = "visibly-fake";
    await query(url, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; CREATE SCHEMA jobs AUTHORIZATION ${role}`);
    const own = Object.assign(new URL(url), { username: role, password }).href;
    await using jobs = await openStore(own, "jobs", items);
    await jobs.table.create({ name: "Boat" });
    await assert.rejects(openStore(own, "others", items), /permission denied for database/);
  });

  test("keep the options of their URL", async () => {
    const options = connectTo({ databaseUrl: `${await newDatabase()}?options=-c%20work_mem=7MB` });
    placeInSchema("a-b").addOptions(options);
    const { rows } = await query(
      options.connectionString ?? "",
      "SELECT current_setting('work_mem') AS memory, current_setting('search_path')",
    );
    assert.deepEqual(rows, [{ memory: "7MB", current_setting: '"a-b"' }]);
  });
});

test("DATABASE_SCHEMA is an identifier, or refused", () => {
  const given = { ...apiTokens, ...corsOrigins, ...webhookSecrets };
  for (const name of ["", "A", "1a", "a b", 'a"b', "a;b", "ü", "a".repeat(64)])
    assert.throws(() => readConfig({ ...given, DATABASE_SCHEMA: name }), /^Error: DATABASE_SCHEMA (must|is set)/, name);
  for (const name of ["a", "order", "a-b_c9", "a".repeat(63)]) assert.equal(schemaName(name), name);
  assert.equal(readConfig({ ...given, DATABASE_SCHEMA: "jobs" }).databaseUrl, "file:./data/items.db");
});

async function openStore<T extends object>(databaseUrl: string, schema: string, resource: Resource<T>) {
  const config = { databaseUrl, databasePlace: placeInSchema(schema), handlerTimeoutMs: 20_000 };
  const store = createStore(config, features);
  const table = store.table(resource);
  const { inbox } = store;
  await store.open().catch(async (error) => {
    await store.close();
    throw error;
  });
  return { table, inbox, [Symbol.asyncDispose]: () => store.close() };
}

async function listSchemas(url: string): Promise<string[]> {
  const { rows } = await query(
    url,
    "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('items', 'webhook_events')",
  );
  return rows.map(({ schemaname }) => schemaname).sort();
}

async function query(url: string, text: string) {
  const client = new Client(url);
  await client.connect();
  return client.query(text).finally(() => client.end());
}
