import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { eventually } from "../../kit/test/eventually.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import { logging } from "../../src/core/log.ts";
import type { Resource } from "../../src/core/resource.ts";
import { createStore, type PostgresStore } from "../../src/core/store/postgres.ts";
import { features } from "../../src/features.ts";
import { isWholeMatrix } from "../support/matrix.ts";

logging.level = "silent";
const newDatabase = await newPostgresDatabases();
/** In `npm run test:all` enough for an index to take a while. */
const rows = isWholeMatrix ? 300_000 : 3000;
/** A write of the live release that waits longer than this for a lock fails, and with it the test. */
const longestWait = "?options=-c%20lock_timeout%3D3s";

/** `npm test` leaves out what waits long. */
const testAll: typeof test = isWholeMatrix ? test : (((): void => {}) as never);

interface Line {
  sku: string;
  order: string;
}

const orders: Resource<{ name: string }> = {
  name: "orders",
  title: "Order",
  schema: undefined as never,
  columns: { name: { type: "text", isRequired: true } },
};
const lines: Resource<Line> = {
  name: "lines",
  title: "Line",
  schema: undefined as never,
  columns: { sku: { type: "text", isRequired: true }, order: { type: "id", isRequired: true } },
};
/** What the next release asks for. */
const ruled: Resource<Line> = { ...lines, unique: ["sku"], references: { order: "orders" } };

describe(`a release that adds rules to a table of ${rows} rows on PostgreSQL`, { timeout: 240_000 }, () => {
  test("does not keep the live release from writing, also with several replicas at once", async () => {
    await using live = await newWorld();
    using writers = live.write();
    await eventually(() => writers.count > 20, "some writes");
    const next = await Promise.all([open(live.url, ruled), open(live.url, ruled), open(live.url, ruled)]);
    const before = writers.count;
    await eventually(() => writers.count > before + 20, "more writes");
    await writers.end();
    for (const { store } of next) await store.close();
    assert.deepEqual(await live.rules(), [
      ["lines", "f", "order", true],
      ["lines", "u", "sku", true],
    ]);
    assert.deepEqual(await live.invalidIndexes(), []);
    assert.equal(await live.countIndexes("order"), 1);
  });

  testAll("waits for a long transaction without making others wait", async () => {
    await using live = await newWorld();
    const held = await live.hold("lines", "READ COMMITTED");
    const opening = open(live.url, ruled);
    await eventually(async () => (await live.countIndexes("sku")) === 1, "the index to be built");
    using writers = live.write();
    await sleep(5000);
    await held.release();
    await (await opening).store.close();
    await writers.end();
    assert.equal((await live.rules()).length, 2);
  });

  testAll("is finished by the next process if it was killed", async () => {
    await using live = await newWorld();
    const held = await live.hold("orders", "REPEATABLE READ");
    using killed = startAnother(live.url);
    await eventually(async () => (await live.invalidIndexes()).length === 1, "an index to be built");
    killed.process.kill("SIGKILL");
    await once(killed.process, "exit");
    const opening = open(live.url, ruled);
    await sleep(500);
    await held.release();
    await (await opening).store.close();
    assert.equal((await live.rules()).length, 2);
    assert.deepEqual(await live.invalidIndexes(), []);
  });

  test("removes an index that is left over, and a rule that does not hold for all rows is made to", async () => {
    await using live = await newWorld();
    await live.query("CREATE UNIQUE INDEX left_over ON lines (sku)");
    await live.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'left_over'::regclass");
    await live.query(`ALTER TABLE lines ADD FOREIGN KEY ("order") REFERENCES orders (id) NOT VALID`);
    await (await open(live.url, ruled)).store.close();
    assert.equal((await live.rules()).filter(([, , , isValid]) => isValid).length, 2);
    assert.equal((await live.query("SELECT to_regclass('left_over') AS index")).rows[0].index, null);
  });

  test("is refused, and leaves nothing, if rows do not keep the rules: the field is named, and no value", async () => {
    await using live = await newWorld();
    await live.query(
      'INSERT INTO lines (id, sku, "order", created_at) SELECT gen_random_uuid(), \'sku 1\', "order", now() FROM lines LIMIT 1',
    );
    const refused = (resource: Resource<Line>) =>
      open(live.url, resource).then(
        () => assert.fail("it was opened"),
        ({ message }) => message,
      );
    const unique = await refused(ruled);
    assert.match(unique, /^The database of DATABASE_URL cannot be used: "sku" of "lines" is to be unique, but several/);
    assert.doesNotMatch(unique, /sku 1/);
    await live.query("UPDATE lines SET \"order\" = gen_random_uuid() WHERE sku = 'sku 2'");
    const reference = await refused({ ...ruled, unique: [] });
    assert.match(reference, /"order" of "lines" has values that are not ids of "orders"; change those first$/);
    assert.deepEqual([await live.rules(), await live.invalidIndexes()], [[], []]);
  });

  testAll("lets the live release start again meanwhile", async () => {
    await using live = await newWorld();
    const held = await live.hold("orders", "REPEATABLE READ");
    const opening = open(live.url, ruled);
    await eventually(async () => (await live.invalidIndexes()).length === 1, "an index to be built");
    const again = await open(live.url, lines);
    assert.equal(await again.table.count(), rows);
    await again.store.close();
    await held.release();
    await (await opening).store.close();
  });
});

async function open(databaseUrl: string, resource: Resource<Line>) {
  const store: PostgresStore = createStore({ databaseUrl, handlerTimeoutMs: 10_000 }, features);
  store.table(orders);
  const table = store.table(resource);
  await store.open().catch(async (error) => {
    await store.close();
    throw error;
  });
  return { store, table };
}

/** A database with many rows, which the live release uses. */
async function newWorld() {
  const url = await newDatabase();
  const { store, table } = await open(url + longestWait, lines);
  const [client, other] = [new Client(url), new Client(url)];
  await Promise.all([client.connect(), other.connect()]);
  await client.query(`
    INSERT INTO orders (id, name, created_at) SELECT gen_random_uuid(), 'order', now() FROM generate_series(1, 100);
    INSERT INTO lines (id, sku, "order", created_at)
    SELECT gen_random_uuid(), 'sku ' || number, (SELECT id FROM orders LIMIT 1), now() FROM generate_series(1, ${rows}) number`);
  const [order] = (await client.query("SELECT id FROM orders LIMIT 1")).rows;
  const query = (text: string) => client.query(text);
  const all = async (text: string) => (await client.query({ text, rowMode: "array" })).rows;
  return {
    url,
    query,
    rules: () =>
      all(`SELECT conrelid::regclass::text, contype, attname, convalidated FROM pg_constraint
        JOIN pg_attribute ON attrelid = conrelid AND ARRAY[attnum] = conkey
        WHERE attname IN ('sku', 'order') AND contype IN ('u', 'f') ORDER BY contype`),
    invalidIndexes: () => all("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid"),
    countIndexes: async (field: string) =>
      (
        await all(`SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
        WHERE indrelid = 'lines'::regclass AND indisvalid AND attname = '${field}'`)
      ).length,
    /** A transaction that has a lock; with REPEATABLE READ also a snapshot, for which an index waits to become valid. */
    async hold(table: string, isolation: "READ COMMITTED" | "REPEATABLE READ") {
      await other.query(`BEGIN ISOLATION LEVEL ${isolation}; SELECT FROM ${table} LIMIT 1`);
      return { release: () => other.query("COMMIT") };
    },
    write: () => new Writers((sku) => table.create({ sku, order: order.id })),
    async [Symbol.asyncDispose]() {
      await Promise.all([client.end(), other.end()]);
      await store.close();
    },
  };
}

/** Clients of the live release. */
class Writers {
  count = 0;
  #isEnding = false;
  readonly #all: Promise<unknown>;

  constructor(create: (sku: string) => Promise<unknown>) {
    this.#all = Promise.all(["a", "b"].map((name) => this.#write(name, create)));
  }

  async #write(name: string, create: (sku: string) => Promise<unknown>): Promise<void> {
    while (!this.#isEnding) {
      await create(`${name} ${this.count++}`);
      await sleep(5);
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#all;
  }

  [Symbol.dispose](): void {
    this.#isEnding = true;
  }
}

/** Another process that opens the store with the rules. */
function startAnother(url: string): { process: ChildProcess } & Disposable {
  const script = `
    const { createStore } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/core/store/postgres.ts"))});
    const { features } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/features.ts"))});
    const store = createStore({ databaseUrl: ${JSON.stringify(url)}, handlerTimeoutMs: 10000 }, features);
    store.table(${JSON.stringify(orders)});
    store.table(${JSON.stringify(ruled)});
    await store.open();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  return { process: child, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}
