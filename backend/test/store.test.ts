import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { everyDatabase } from "../kit/test/databases.ts";
import { newPostgresDatabases } from "../kit/test/postgres.ts";
import { newSqliteFile } from "../kit/test/sqlite.ts";
import { itemRoutes } from "../src/core/features/item-routes/feature.ts";
import { referenceFields } from "../src/core/features/reference-fields/feature.ts";
import { uniqueFields } from "../src/core/features/unique-fields/feature.ts";
import { optional } from "../src/core/fields/field.ts";
import { json } from "../src/core/fields/json.ts";
import { number } from "../src/core/fields/number.ts";
import { ref } from "../src/core/fields/ref.ts";
import { string } from "../src/core/fields/string.ts";
import { unique } from "../src/core/fields/unique.ts";
import { logging } from "../src/core/log.ts";
import type { Problem } from "../src/core/problem.ts";
import { resource } from "../src/core/resource.ts";
import * as postgres from "../src/core/store/postgres.ts";
import * as sqlite from "../src/core/store/sqlite.ts";
import type { Store } from "../src/core/store/store.ts";
import { items } from "../src/items/item.ts";

logging.level = "silent";
const createTable = "CREATE TABLE IF NOT EXISTS notes (text text)";
const insert = (text: string) => `INSERT INTO notes VALUES ('${text}')`;
const failing = () => {
  throw new Error("as the test says");
};

for (const [kind, newDatabase] of await everyDatabase())
  test(`a table on ${kind} counts its items and finds one by its id`, async () => {
    const { createStore } = kind === "SQLite" ? sqlite : postgres;
    const store: Store = createStore({ databaseUrl: await newDatabase(), handlerTimeoutMs: 10_000 });
    const table = store.table(items);
    await store.open();
    assert.deepEqual([await table.count(), await table.get(randomUUID())], [0, undefined]);
    const made = JSON.parse(await table.create({ name: "Boat" }));
    await table.create({ name: "Oar" });
    const found = await table.get(made.id);
    // The fields have their types.
    assert.equal(found?.name.length, 4);
    assert.deepEqual(found, made);
    assert.equal(await table.count(), 2);
    for (const id of ["", "x", made.id.toUpperCase(), `${made.id} `]) assert.equal(await table.get(id), undefined, id);
    await store.close();
  });

for (const [kind, newDatabase] of await everyDatabase())
  test(`numbers come back from ${kind} byte for byte`, async () => {
    const { createStore } = kind === "SQLite" ? sqlite : postgres;
    const store: Store = createStore({ databaseUrl: await newDatabase(), handlerTimeoutMs: 10_000 });
    const sizes = store.table(resource("sizes", "Size", { size: number(), other: optional(number()) }));
    await store.open();
    const numbers = [
      0,
      5,
      12.34,
      2055254325.6602,
      99999999999999.98,
      2 ** 53 - 1,
      2 ** 60,
      1e15,
      1e20,
      1e21,
      1e308,
      5e-324,
    ];
    numbers.push(...[1e-4, 1e-5, 1.5e-6, 1e-6, 1e-7, 1.5e-10, 0.1 + 0.2].flatMap((number) => [number, -number]));
    for (let power = 2 ** -40; power < 2 ** 53; power *= 2) numbers.push(power / 3, power * Math.PI);
    const create = (size: number) =>
      sizes.create({ size, ...(size > 1 && { other: -size }) }, { idempotencyKey: `key ${size}` });
    const made: string[] = [];
    for (const size of numbers) made.unshift(await create(size));
    for (const [index, text] of made.toReversed().entries()) {
      assert.equal(JSON.parse(text).size, numbers[index]);
      assert.equal(await create(numbers[index] ?? 0), text);
    }
    for (let cursor: string | undefined, at = 0; at < made.length; at += 100) {
      const page: string = await sizes.list({ limit: 100, cursor });
      assert.equal(page.slice(0, page.lastIndexOf("]")), `{"items":[${made.slice(at, at + 100)}`);
      cursor = JSON.parse(page).nextCursor;
    }
    await store.close();
  });

for (const [kind, newDatabase] of await everyDatabase())
  test(`pages on ${kind} are whole, whatever the fields are named`, async () => {
    const { createStore } = kind === "SQLite" ? sqlite : postgres;
    const fields = ["last", "item", "items", "page", "id_", "limit", "cursor", "position"];
    const things = resource("things", "Thing", Object.fromEntries(fields.map((name) => [name, string({ max: 20 })])));
    const store: Store = createStore({ databaseUrl: await newDatabase(), handlerTimeoutMs: 10_000 });
    const table = store.table(things);
    await store.open();
    const made: string[] = [];
    for (const value of ["1", "2", "0"])
      made.unshift(await table.create(Object.fromEntries(fields.map((name) => [name, value]))));
    const [first, second] = [JSON.parse(await table.list({ limit: 2, cursor: undefined })), made[1] ?? ""];
    const { id } = JSON.parse(second);
    assert.deepEqual(first, { items: made.slice(0, 2).map((one) => JSON.parse(one)), nextCursor: id });
    const rest = JSON.parse(await table.list({ limit: 2, cursor: id }));
    assert.deepEqual(rest, { items: made.slice(2).map((one) => JSON.parse(one)), nextCursor: null });
    assert.equal(JSON.parse(await table.list({ limit: 3, cursor: undefined })).nextCursor, null);
    await store.close();
  });

for (const [kind, newDatabase] of await everyDatabase())
  test(`a page of large items on ${kind} is whole, and no others are read for it`, async () => {
    const url = await newDatabase();
    const isSqlite = kind === "SQLite";
    let converted = 0;
    const countInSqlite = (db: DatabaseSync) =>
      db.function("concat", { varargs: true }, (...parts) => {
        converted++;
        return parts.join("");
      });
    const extendStore = ({ onOpen }: sqlite.SqliteAccess) => Object(onOpen(countInSqlite));
    const config = {
      databaseUrl: isSqlite ? url : `${url}?options=-c%20search_path%3Dpublic,pg_catalog`,
      handlerTimeoutMs: 10_000,
    };
    const { createStore } = isSqlite ? sqlite : postgres;
    const store: Store = createStore(config, [{ sqlite: { extendStore } }]);
    const things = resource("things", "Thing", { text: string(), note: optional(string()), more: optional(json()) });
    const table = store.table(things);
    await store.open();
    if (!isSqlite)
      await (store as postgres.PostgresStore).database.query(`
        CREATE SEQUENCE converted;
        CREATE FUNCTION to_json(text) RETURNS json LANGUAGE plpgsql
        AS 'BEGIN PERFORM nextval(''converted''); RETURN pg_catalog.to_json($1); END'`);
    const count = async () => {
      if (isSqlite) return converted;
      const { rows } = await (store as postgres.PostgresStore).database.query("SELECT last_value FROM converted");
      return Number(rows[0].last_value);
    };
    const long = randomBytes(75_000).toString("base64");
    const made: string[] = [];
    for (let index = 0; index < 40; index++) {
      const other = index % 2 ? { note: long } : { more: [long] };
      made.unshift(await table.create(index % 8 === 7 ? { text: "short" } : { text: `${index}`, ...other }));
    }
    const walked: object[] = [];
    const counts: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const before = await count();
      const { items, nextCursor } = JSON.parse(await table.list({ limit: 30, cursor }));
      counts.push((await count()) - before);
      walked.push(...items);
      cursor = nextCursor ?? undefined;
      if (!cursor) break;
    }
    assert.deepEqual(
      walked,
      made.map((one) => JSON.parse(one)),
    );
    // 10 to 13 items fit on a page. In PostgreSQL, two members of each are counted.
    assert.equal(counts.length, 4);
    assert.ok(Math.max(...counts) < (isSqlite ? 20 : 40), `${counts}`);
    await store.close();
  });

for (const [kind, newDatabase] of await everyDatabase())
  test(`on ${kind}, each lost reference of an item is a fault, before a value that is taken`, async () => {
    const { createStore } = kind === "SQLite" ? sqlite : postgres;
    const config = { databaseUrl: await newDatabase(), handlerTimeoutMs: 10_000 };
    const store: Store = createStore(config, [itemRoutes, uniqueFields, referenceFields]);
    const boats = store.table(items);
    const fields = {
      key: unique(string()),
      first: ref("items"),
      second: optional(ref("items")),
      any: optional(string()),
    };
    const trips = store.table(resource("trips", "Trip", fields));
    await store.open();
    const { id } = JSON.parse(await boats.create({ name: "Boat" }));
    const made = JSON.parse(await trips.create({ key: "a", first: id }));
    const explain = ({ status, more }: Problem) => [status, more.errors?.map(({ pointer }) => pointer)];
    const create = (key: string, first: string, second?: string) =>
      trips
        .create({ key, first, ...(second && { second }) }, { idempotencyKey: undefined })
        .then(() => "made", explain);
    // All of one turn share a transaction, if the database has one for several creations.
    assert.deepEqual(
      await Promise.all([
        create("b", id),
        create("a", id, id),
        create("a", randomUUID()),
        create("c", randomUUID(), randomUUID()),
        create("b", id, id),
        create("d", id, id),
      ]),
      ["made", [409, ["#/key"]], [422, ["#/first"]], [422, ["#/first", "#/second"]], [409, ["#/key"]], "made"],
    );
    const { find, swap, remove } = trips.rows;
    const stored = (await find(made.id)) ?? "";
    const change = (item: { key: string; first: string }) => swap(made.id, stored, item).catch(explain);
    assert.deepEqual(await change({ key: "b", first: randomUUID() }), [422, ["#/first"]]);
    assert.deepEqual(await change({ key: "b", first: id }), [409, ["#/key"]]);
    const referred = (await boats.rows.find(id)) ?? "";
    assert.deepEqual(await boats.rows.remove(id, referred).catch(explain), [409, undefined]);
    assert.deepEqual([await change({ key: "a", first: id }), await remove(made.id, "")], [true, false]);
    await store.close();
  });

test("a field that cannot become unique on SQLite is named, and the file stays as it was for a live release", async () => {
  const databaseUrl = await newSqliteFile();
  const open = async (resource: typeof items) => {
    const store = sqlite.createStore({ databaseUrl, handlerTimeoutMs: 10_000 }, [uniqueFields]);
    const table = store.table(resource);
    await store.open();
    return { store, table };
  };
  const live = await open({ ...items, unique: [] });
  for (const name of ["Boat", "Boat"]) await live.table.create({ name });
  const refused = await open({ ...items, unique: ["name"] }).catch(({ message }: Error) => message);
  assert.match(`${refused}`, /cannot be used: "name" of "items" is to be unique, but several rows have the same value/);
  await live.table.create({ name: "Boat" });
  assert.equal(await live.table.count(), 3);
  await live.store.close();
});

describe("SQL of the owner on SQLite", () => {
  test("is possible once the store is open", async () => {
    const store = sqlite.createStore({ databaseUrl: await newSqliteFile(), handlerTimeoutMs: 10_000 });
    assert.throws(() => store.database, /not open yet: use it in a handler, or in store.onOpen/);
    await store.open();
    assert.equal(store.database.prepare("SELECT 1 AS one").get()?.["one"], 1);
    await store.close();
  });

  test("is in a transaction that is committed as a whole or not at all, and must not be asynchronous", async () => {
    await using world = await openSqlite();
    const { store, texts } = world;
    assert.equal(await store.transaction((db) => db.prepare(insert("one")).run().changes), 1);
    const failed = store.transaction((db) => {
      db.exec(insert("two"));
      failing();
    });
    await assert.rejects(failed, /as the test says/);
    const late = store.transaction(async (db) => {
      db.exec(insert("three"));
      await sleep(10);
    });
    await assert.rejects(late, /must not be asynchronous/);
    await assert.rejects(
      store.transaction((db) => db.exec("INSERT INTO missing VALUES (1)")),
      /no such table/,
    );
    assert.deepEqual(texts(), ["one"]);
  });

  test("never mixes with the transactions of the store", async () => {
    await using world = await openSqlite();
    const { store, table, texts } = world;
    const creations: Promise<string>[] = [];
    for (let round = 0; round < 30; round++) {
      creations.push(table.create({ name: `in ${round}` }));
      const failed = store.transaction((db) => {
        db.exec(insert(`lost ${round}`));
        creations.push(table.create({ name: `within ${round}` }));
        failing();
      });
      await assert.rejects(failed, /as the test says/);
      creations.push(
        store.transaction((db) => db.exec(insert(`kept ${round}`))).then(() => table.create({ name: "x" })),
      );
    }
    await Promise.all(creations);
    assert.equal(await table.count(), 90);
    assert.deepEqual(texts().length, 30);
  });

  test("makes the store and other transactions wait, not fail, while its own transaction is open", async () => {
    await using world = await openSqlite();
    const { store, table, texts } = world;
    store.database.exec("BEGIN IMMEDIATE");
    store.database.exec(insert("rolled back"));
    const waiting = [table.create({ name: "waits" }), store.transaction((db) => db.exec(insert("waits")))];
    await sleep(100);
    store.database.exec("ROLLBACK");
    await Promise.all(waiting);
    assert.deepEqual([await table.count(), texts()], [1, ["waits"]]);
  });

  async function openSqlite() {
    const store = sqlite.createStore({ databaseUrl: await newSqliteFile(), handlerTimeoutMs: 10_000 });
    const table = store.table(items);
    store.onOpen((db) => db.exec(createTable));
    await store.open();
    const texts = () =>
      store.database
        .prepare("SELECT text FROM notes")
        .all()
        .map(({ text }) => text);
    return { store, table, texts, [Symbol.asyncDispose]: () => store.close() };
  }
});

test("on PostgreSQL, a value that is too long for an index does not look like a database that cannot be used", async () => {
  const newDatabase = await newPostgresDatabases();
  const store = postgres.createStore({ databaseUrl: await newDatabase(), handlerTimeoutMs: 10_000 }, [uniqueFields]);
  const codes = store.table(resource("codes", "Code", { code: unique(string()) }));
  await store.open();
  await codes.count();
  const [one] = (await store.database.query("SELECT pg_backend_pid() AS pid")).rows;
  await assert.rejects(codes.create({ code: randomBytes(4000).toString("base64") }), { code: "54000" });
  const [other] = (await store.database.query("SELECT pg_backend_pid() AS pid")).rows;
  assert.equal(one.pid, other.pid);
  await store.close();
});

describe("SQL of the owner on PostgreSQL", async () => {
  const newDatabase = await newPostgresDatabases();

  test("is in a transaction that is committed as a whole or not at all", async () => {
    await using world = await openPostgres();
    const { store, texts } = world;
    assert.equal(await store.transaction(async (client) => (await client.query(insert("one"))).rowCount), 1);
    // More often than there are connections: each is given back.
    for (let round = 0; round < 15; round++) {
      const failed = store.transaction(async (client) => {
        await client.query(insert("two"));
        failing();
      });
      await assert.rejects(failed, /as the test says/);
    }
    const hidden = store.transaction((client) => client.query("SELECT 1 / 0").catch(() => "ignored"));
    await assert.rejects(hidden, /rolled back, because one of its queries failed/);
    await assert.rejects(
      store.transaction((client) => client.query("INSERT INTO missing VALUES (1)")),
      { code: "42P01" },
    );
    assert.deepEqual(await texts(), ["one"]);
  });

  test("is `unavailable` while the database cannot be used, and works again afterwards", async () => {
    await using world = await openPostgres();
    const { store } = world;
    const lost = store.transaction(async (client) => {
      await client.query("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => {});
    });
    await assert.rejects(lost, { code: "unavailable" });
    assert.equal(await store.transaction(async () => "again"), "again");
  });

  test("creates its tables once, also if replicas start at the same time", async () => {
    const url = await newDatabase();
    const worlds = await Promise.all(Array.from({ length: 5 }, () => openPostgres(url)));
    for (const { store } of worlds) await store.close();
  });

  async function openPostgres(url?: string) {
    const store = postgres.createStore({ databaseUrl: url ?? (await newDatabase()), handlerTimeoutMs: 10_000 });
    const table = store.table(items);
    store.onOpen((client) => client.query(createTable));
    await store.open();
    const texts = async () => (await store.database.query("SELECT text FROM notes")).rows.map(({ text }) => text);
    return { store, table, texts, [Symbol.asyncDispose]: () => store.close() };
  }
});
