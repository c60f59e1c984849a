import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PoolClient } from "pg";
import { eventually } from "../kit/test/eventually.ts";
import { newPostgresDatabases } from "../kit/test/postgres.ts";
import { boolean } from "../src/core/fields/boolean.ts";
import { integer } from "../src/core/fields/integer.ts";
import { json } from "../src/core/fields/json.ts";
import { number } from "../src/core/fields/number.ts";
import { string } from "../src/core/fields/string.ts";
import { logging } from "../src/core/log.ts";
import { type Resource, resource } from "../src/core/resource.ts";
import { createStore } from "../src/core/store/postgres.ts";
import { features } from "../src/features.ts";
import { items } from "../src/items/item.ts";

logging.level = "silent";
const newDatabase = await newPostgresDatabases();
const firstPage = { limit: 100, cursor: undefined };

describe("creations that wait are inserted together on PostgreSQL", () => {
  test("in fewer transactions than there are items, and in any number", async () => {
    await using world = await open(items);
    await Promise.all(numbers(500).map((number) => world.table.create({ name: `number ${number}` })));
    const { rows } = await world.store.database.query(
      "SELECT count(*) items, count(DISTINCT xmin::text) groups FROM items",
    );
    assert.equal(Number(rows[0].items), 500);
    assert.ok(Number(rows[0].groups) < 50, `${rows[0].groups} transactions`);
  });

  test("but only the one that the database refuses fails", async () => {
    await using world = await open(items);
    await world.store.database.query("ALTER TABLE items ADD CHECK (name <> 'refused')");
    const names = numbers(40).map((number) => (number === 20 ? "refused" : `accepted ${number}`));
    const outcomes = await Promise.allSettled(names.map((name) => world.table.create({ name })));
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.code] : []));
    assert.deepEqual(refused, ["23514"]);
    assert.equal(await world.table.count(), 39);
  });

  test("but none waits for another's lock", async () => {
    await using world = await open({ ...items, unique: ["name"] });
    const { store, table } = world;
    await table.create({ name: "free" });
    const waits = await store.transaction(async (client) => {
      await client.query("UPDATE items SET name = 'changes' WHERE name = 'free'");
      const creation = table.create({ name: "changes" });
      // It may fail before the test waits for it.
      creation.catch(() => {});
      await Promise.all(numbers(10).map((number) => table.create({ name: `other ${number}` })));
      return { creation };
    });
    await assert.rejects(waits.creation, { code: "conflict" });
    assert.equal(await table.count(), 11);
  });

  test("and one statement that hangs does not make the next wait", async () => {
    await using world = await open(items);
    const { store, table } = world;
    // A trigger of the owner, which makes one row wait.
    await store.database.query(`
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$;
      CREATE TRIGGER waits BEFORE INSERT ON items FOR EACH ROW WHEN (NEW.name = 'waits') EXECUTE FUNCTION wait()`);
    const waiting = await store.transaction(async (client) => {
      await client.query("SELECT pg_advisory_xact_lock(7)");
      const creations = [table.create({ name: "waits" })];
      // The second one is not part of the first one's statement.
      await eventually(async () => (await countLocks(client)) === 1, "the first row to wait");
      creations.push(table.create({ name: "waits" }));
      await eventually(async () => (await countLocks(client)) === 2, "the second row to wait");
      await table.create({ name: "goes on" });
      assert.equal(await table.count(), 1);
      return { creations };
    });
    await Promise.all(waiting.creations);
    assert.equal(await table.count(), 3);
  });

  test("and what was acknowledged before another began is listed after it, in all replicas", async () => {
    const url = await newDatabase();
    await using first = await open(items, url);
    await using second = await open(items, url);
    const chains = numbers(8).map(async (chain) => {
      for (const step of numbers(25)) await (step % 2 ? first : second).table.create({ name: `${chain} ${step}` });
    });
    await Promise.all(chains);
    const names = await listNames(second.table);
    for (const chain of numbers(8)) {
      const steps = names.filter((name) => name.startsWith(`${chain} `)).map((name) => Number(name.split(" ")[1]));
      assert.deepEqual(steps, numbers(25).reverse());
    }
  });

  test("with the bytes that they were sent with", async () => {
    const things = resource("things", "Thing", {
      text: string({ min: 0, max: 1000 }),
      price: number({}),
      count: integer({}),
      isNew: boolean(),
      more: json(),
    });
    await using world = await open(things);
    const texts = ["", '"\\/\b\f\n\r\t\u007f\u2028é😀', "\\u0000", "{}", "null", "\u001f"];
    const prices = [0, -0.1, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1e21];
    const more = ['a\u2028"\\', null, { b: [1, { a: "\u001f" }], a: 1.5e300 }, [[]], 0, "\u001f"];
    const made = await Promise.all(
      texts.map((text, index) => {
        const count = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 7, 8][index] ?? 0;
        const item = { text, price: prices[index] ?? 0, count, isNew: index % 2 === 0, more: more[index] };
        return world.table.create(item as never);
      }),
    );
    const { items } = JSON.parse(await world.table.list(firstPage));
    assert.deepEqual(items.map((item: object) => JSON.stringify(item)).sort(), made.toSorted());
  });
});

test("requests for a page share queries, and see every item that was acknowledged before them", async () => {
  await using world = await open(items);
  const readers = numbers(20).map(async (reader) => {
    for (const step of numbers(10)) {
      const { id } = JSON.parse(await world.table.create({ name: `${reader} ${step}` }));
      const page = JSON.parse(await world.table.list(firstPage));
      assert.ok(page.items.some((item: { id: string }) => item.id === id));
    }
  });
  await Promise.all(readers);
  const { rows } = await world.store.database.query("SELECT name FROM items ORDER BY insert_order DESC");
  const walks = await Promise.all(numbers(20).map((number) => listNames(world.table, 5 + (number % 4))));
  for (const walk of walks)
    assert.deepEqual(
      walk,
      rows.map(({ name }) => name),
    );
  const pages = await Promise.all(numbers(30).map(() => world.table.list({ limit: 3, cursor: undefined })));
  assert.equal(new Set(pages).size, 1);
});

async function countLocks(client: PoolClient): Promise<number> {
  const text = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 7";
  return Number((await client.query(text)).rows[0].count);
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

async function listNames(
  table: { list(page: { limit: number; cursor: string | undefined }): Promise<string> },
  limit = 100,
) {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = JSON.parse(await table.list({ limit, cursor }));
    names.push(...page.items.map(({ name }: { name: string }) => name));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return names;
}

async function open<T extends object>(asked: Resource<T>, url?: string) {
  const store = createStore({ databaseUrl: url ?? (await newDatabase()), handlerTimeoutMs: 20_000 }, features);
  const table = store.table(asked);
  await store.open();
  return { store, table, [Symbol.asyncDispose]: () => store.close() };
}
