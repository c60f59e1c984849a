import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { Backend, refusal } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { judge } from "../../kit/test/judge.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import type { ColumnType } from "../../src/core/fields/field.ts";
import { logging } from "../../src/core/log.ts";
import type { Resource } from "../../src/core/resource.ts";
import { createStore } from "../../src/core/store/postgres.ts";
import { placeInSchema } from "../../src/core/store/schema.ts";
import { features } from "../../src/features.ts";
import { items } from "../../src/items/item.ts";
import { create, get, listAll } from "../support/client.ts";
import { Load } from "../support/load.ts";
import { earlier, frameworks, isInThisRun, isOfEachKind, later } from "../support/matrix.ts";
import { keepsPrepared, missing, PgBouncer, programs, type Settings } from "../support/pgbouncer.ts";

logging.level = "silent";
const newDatabase = await newPostgresDatabases();

/** A version of PgBouncer, with the settings that it is tested with. */
interface Setup {
  title: string;
  program: string;
  settings: Settings;
  keeps: boolean;
}

const setups = [...programs].flatMap(([version, program]): Setup[] => {
  const title = `PgBouncer ${version}`;
  if (!keepsPrepared(version)) return [{ title, program, settings: {}, keeps: false }];
  return [100, 0].map((max) => ({
    title: `${title} with max_prepared_statements=${max}`,
    program,
    settings: { max_prepared_statements: max },
    keeps: max > 0,
  }));
});

if (!setups.some(({ keeps }) => keeps))
  test("behind a PgBouncer that keeps prepared statements", {
    skip: missing || "none is installed; scripts/pgbouncer does that",
  }, () => {});

for (const [index, { title, program, settings, keeps }] of setups.entries())
  describe(`behind ${title} in transaction mode`, () => {
    const skip = index === 0 ? earlier : later;
    const start = async (more: Settings = {}) =>
      PgBouncer.start(await newDatabase(), { ...settings, ...more }, program);
    const judged = frameworks.filter((name) => isInThisRun(false) && (index === 0 || isOfEachKind(name)));
    let pooler: PgBouncer;
    before(async () => {
      pooler = await start();
    });
    after(() => pooler.stop());

    for (const framework of judged)
      judge(
        `the contract is kept by ${framework}`,
        async () => ({ FRAMEWORK: framework, DATABASE_URL: pooler.through(await newDatabase()) }),
        false,
      );

    test("replicas that start at the same time in a new schema all work, and report nothing", {
      skip,
    }, async () => {
      const url = pooler.through(await newDatabase());
      using replicas = new DisposableStack();
      const started = await Promise.all(
        Array.from({ length: 5 }, async () =>
          replicas.use(await Backend.start({ DATABASE_URL: url, DATABASE_SCHEMA: "night-jobs" })),
        ),
      );
      // Each connection of the pooler gets statements of all replicas.
      const loads = started.map((replica) => new Load(replica.url, { clients: 4 }));
      for (const load of loads) await load.hasCreated(20);
      for (const load of loads) await load.end();
      const reported = started.flatMap(({ logged }) => logged.filter((line) => !line.includes('"level":"info"')));
      assert.deepEqual(reported, []);
      const acknowledged = loads.flatMap((load) => load.acknowledged);
      assert.equal(loads.flatMap(({ answers }) => answers).length, acknowledged.length);
      for (const { url } of started)
        assert.deepEqual((await listAll(url)).map(({ id }) => id).sort(), acknowledged.toSorted());
    });

    test("what needs a person is one line, and the end of the process", { skip }, async () => {
      const url = pooler.through(await newDatabase());
      const other = Object.assign(new URL(url), { pathname: "/missing" }).href;
      for (const [DATABASE_URL, expected] of [
        [`${url}?statement_timeout=5000`, /statement_timeout: a pooler does not accept it; leave it out of the URL/],
        [
          `${url}?options=-c%20work_mem%3D8MB`,
          /options(: work_mem)?: a pooler does not accept it; leave it out of the URL/,
        ],
        [other, /missing/],
      ] as const) {
        const { code, stderr } = await refusal({ DATABASE_URL });
        assert.deepEqual([code, stderr.trimEnd().split("\n").length], [1, 1], stderr);
        assert.match(stderr, expected);
      }
    });

    test("a pooler that allows no transactions is named, with what it needs", { skip }, async () => {
      const other = await start({ pool_mode: "statement" });
      try {
        const { code, stderr } = await refusal({ DATABASE_URL: other.through(await newDatabase()) });
        assert.deepEqual([code, stderr.trimEnd().split("\n").length], [1, 1], stderr);
        assert.match(stderr, /transaction blocks not allowed .*: set the pooler to transaction mode/);
      } finally {
        await other.stop();
      }
    });

    test("SQL of the owner finds the tables of its schema in transactions", { skip }, async () => {
      const config = {
        databaseUrl: pooler.through(await newDatabase()),
        databasePlace: placeInSchema("user"),
        handlerTimeoutMs: 20_000,
      };
      const store = createStore(config, features);
      const table = store.table(items);
      store.onOpen((client) => client.query("CREATE TABLE IF NOT EXISTS notes (text text)"));
      await store.open();
      await table.create({ name: "Boat" });
      const text = "INSERT INTO notes SELECT name FROM items RETURNING text";
      const { rows } = await store.transaction((client) => client.query(text));
      assert.deepEqual(rows, [{ text: "Boat" }]);
      const places = await store.database.query(
        "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('notes', 'items')",
      );
      assert.deepEqual(places.rows, [{ schemaname: "user" }]);
      await store.close();
    });

    test("too many connections are 503, and one line of the log says what to set", { skip }, async () => {
      const small = await start({ max_client_conn: 4 });
      const url = await newDatabase();
      using backend = await Backend.start({ DATABASE_URL: small.through(url) });
      const unlock = await lockItems(url);
      // Creations with a key do not share a statement.
      const creations = Array.from({ length: 30 }, (_, index) =>
        create(backend.url, "Boat", { "Idempotency-Key": `key-${index}` }),
      );
      await Promise.race(creations);
      await unlock();
      const answers = await Promise.all(creations);
      const refused = answers.filter(({ status }) => status !== 201);
      assert.deepEqual(
        new Set(refused.map(({ status, body }) => `${status} ${body.code}`)),
        new Set(["503 unavailable"]),
      );
      for (const { headers } of refused) assert.match(headers["retry-after"] ?? "", /^\d+$/);
      await eventually(
        async () => (await get(backend.url, "/items")).status === 200,
        "the next request to be answered",
      );
      await backend.stop();
      const lines = backend.logged.filter((line) => line.includes("the database cannot be used"));
      assert.match(lines.join("\n"), /DATABASE_POOL_SIZE/);
      assert.doesNotMatch(backend.logged.join("\n"), /"stack"|\bat .*:\d+:\d+/);
      await small.stop();
    });

    test(`statements ${keeps ? "stay prepared" : "are sent whole once a prepared one is lost"}`, { skip }, async () => {
      const small = await start({ default_pool_size: 2 });
      const url = small.through(await newDatabase());
      using backend = await Backend.start({ DATABASE_URL: url });
      const work = async () => {
        const load = new Load(backend.url, { clients: 8 });
        await load.hasCreated(100);
        await load.end();
        assert.equal(load.answers.length, load.acknowledged.length);
      };
      await work();
      await replaceConnections(url, 2);
      await work();
      const before = await countPrepared(url, 2);
      await work();
      const added = (await countPrepared(url, 2)) - before;
      assert.ok(keeps ? added > 0 : added === 0, `prepared statements ran ${before} times, then ${added}`);
      await backend.stop();
      await small.stop();
    });

    test("a release whose field has another type meets no statement of the one before", { skip }, async () => {
      await using cleanup = new AsyncDisposableStack();
      const small = await start({ default_pool_size: 2 });
      cleanup.defer(() => small.stop());
      const url = await newDatabase();
      const open = async (type: ColumnType) => {
        const resource: Resource<{ size: number }> = {
          ...items,
          columns: { size: { type, isRequired: true } },
        } as never;
        const store = createStore({ databaseUrl: small.through(url), handlerTimeoutMs: 20_000 }, features);
        const table = store.table(resource);
        await store.open();
        cleanup.defer(() => store.close());
        return table;
      };
      const old = await open("integer");
      await old.create({ size: 1 }, { idempotencyKey: "first" });
      await changeTable(url, 'ALTER TABLE "items" ALTER COLUMN "size" TYPE double precision');
      const next = await open("number");
      await next.create({ size: 1.5 }, { idempotencyKey: "second" });
    });
  });

/** How often the prepared statements of so many server connections ran. */
async function countPrepared(url: string, connections: number): Promise<number> {
  const text = `
    SELECT pg_backend_pid() AS id, (
      SELECT coalesce(sum(generic_plans + custom_plans), 0)::int FROM pg_prepared_statements WHERE statement LIKE '%items%'
    ) AS runs FROM pg_sleep(0.3)`;
  const clients = Array.from({ length: connections }, () => new Client(url));
  await Promise.all(clients.map((client) => client.connect()));
  const found = await Promise.all(clients.map((client) => client.query<{ id: number; runs: number }>(text)));
  await Promise.all(clients.map((client) => client.end()));
  const rows = found.flatMap(({ rows }) => rows);
  assert.equal(new Set(rows.map(({ id }) => id)).size, connections);
  return rows.reduce((sum, { runs }) => sum + runs, 0);
}

/** PgBouncer replaces the connection to the server of a client that ends in a transaction. */
async function replaceConnections(url: string, connections: number): Promise<void> {
  const clients = Array.from({ length: connections }, () => new Client(url));
  for (const client of clients) {
    await client.connect();
    await client.query("BEGIN");
  }
  for (const client of clients) await client.end();
}

async function lockItems(url: string): Promise<() => Promise<void>> {
  const locker = new Client(url);
  await locker.connect();
  await locker.query("BEGIN; LOCK TABLE items");
  return async () => {
    await locker.query("ROLLBACK");
    await locker.end();
  };
}

async function changeTable(url: string, text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

const places = [{ title: "PostgreSQL", program: undefined, settings: {} }, ...setups];
for (const [index, { title, program, settings }] of places.entries())
  test(`a statement that nobody waits for any more is cancelled, on ${title}`, {
    skip: index < 2 ? earlier : later,
    timeout: 60_000,
  }, async () => {
    const url = await newDatabase();
    const pooler = program ? await PgBouncer.start(url, settings, program) : undefined;
    using backend = await Backend.start({ DATABASE_URL: pooler?.through(url) ?? url, HANDLER_TIMEOUT_MS: "2000" });
    const unlock = await lockItems(url);
    assert.equal((await create(backend.url, "waits for the lock")).status, 503);
    await eventually(async () => (await countWaiting(url)) === 0, "the server to forget the statement");
    await unlock();
    assert.equal((await create(backend.url, "after the lock")).status, 201);
    assert.deepEqual(
      (await listAll(backend.url)).map(({ name }) => name),
      ["after the lock"],
    );
    await pooler?.stop();
  });

async function countWaiting(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const text = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const { rowCount } = await client.query(text);
  await client.end();
  return rowCount ?? 0;
}
