import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { Backend, refusal } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { judge } from "../../kit/test/judge.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import { logging } from "../../src/core/log.ts";
import { createStore } from "../../src/core/store/postgres.ts";
import { features } from "../../src/features.ts";
import { items } from "../../src/items/item.ts";
import { create, get, listAll } from "../support/client.ts";
import { Load } from "../support/load.ts";
import { earlier, frameworks, isInThisRun } from "../support/matrix.ts";
import { missing, PgBouncer } from "../support/pgbouncer.ts";

logging.level = "silent";
const newDatabase = await newPostgresDatabases();
const judged = frameworks.filter(() => isInThisRun(false));

describe("behind PgBouncer in transaction mode", { skip: missing }, () => {
  let pooler: PgBouncer;
  before(async () => {
    pooler = await PgBouncer.start(await newDatabase());
  });
  after(() => pooler.stop());

  for (const framework of judged)
    judge(
      `the contract is kept by ${framework}`,
      async () => ({ FRAMEWORK: framework, DATABASE_URL: pooler.through(await newDatabase()) }),
      false,
    );

  test("replicas that start at the same time in a new schema all work, and report nothing", {
    skip: earlier,
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

  test("what needs a person is one line, and the end of the process", { skip: earlier }, async () => {
    const url = pooler.through(await newDatabase());
    const other = Object.assign(new URL(url), { pathname: "/missing" }).href;
    for (const [DATABASE_URL, expected] of [
      [`${url}?statement_timeout=5000`, /statement_timeout: a pooler does not accept it; leave it out of the URL/],
      [`${url}?options=-c%20work_mem%3D8MB`, /options: a pooler does not accept it; leave it out of the URL/],
      [other, /missing/],
    ] as const) {
      const { code, stderr } = await refusal({ DATABASE_URL });
      assert.deepEqual([code, stderr.trimEnd().split("\n").length], [1, 1], stderr);
      assert.match(stderr, expected);
    }
  });

  test("SQL of the owner finds the tables of its schema in transactions", { skip: earlier }, async () => {
    const config = {
      databaseUrl: pooler.through(await newDatabase()),
      databaseSchema: "user",
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

  test("too many connections are 503, and one line of the log says what to set", { skip: earlier }, async () => {
    const small = await PgBouncer.start(await newDatabase(), { max_client_conn: 4 });
    using backend = await Backend.start({ DATABASE_URL: small.through(await newDatabase()) });
    // Creations with a key do not share a statement.
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => create(backend.url, "Boat", { "Idempotency-Key": `key-${index}` })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.deepEqual(
      new Set(refused.map(({ status, body }) => `${status} ${body.code}`)),
      new Set(["503 unavailable"]),
    );
    for (const { headers } of refused) assert.match(headers["retry-after"] ?? "", /^\d+$/);
    await eventually(async () => (await get(backend.url, "/items")).status === 200, "the next request to be answered");
    await backend.stop();
    const lines = backend.logged.filter((line) => line.includes("the database cannot be used"));
    assert.match(lines.join("\n"), /DATABASE_POOL_SIZE/);
    assert.doesNotMatch(backend.logged.join("\n"), /"stack"|\bat .*:\d+:\d+/);
    await small.stop();
  });
});

for (const [place, isPooled] of [
  ["PostgreSQL", false],
  ["PgBouncer", true],
] as const)
  test(`a statement that nobody waits for any more is cancelled, on ${place}`, {
    skip: earlier || (isPooled && missing),
    timeout: 60_000,
  }, async () => {
    const url = await newDatabase();
    const pooler = isPooled ? await PgBouncer.start(url) : undefined;
    using backend = await Backend.start({ DATABASE_URL: pooler?.through(url) ?? url, HANDLER_TIMEOUT_MS: "2000" });
    const locker = new Client(url);
    await locker.connect();
    await locker.query("BEGIN; LOCK TABLE items");
    assert.equal((await create(backend.url, "waits for the lock")).status, 503);
    const text = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await eventually(async () => (await locker.query(text)).rowCount === 0, "the server to forget the statement");
    await locker.query("ROLLBACK");
    await locker.end();
    assert.equal((await create(backend.url, "after the lock")).status, 201);
    assert.deepEqual(
      (await listAll(backend.url)).map(({ name }) => name),
      ["after the lock"],
    );
    await pooler?.stop();
  });
