import assert from "node:assert/strict";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import type { Claimed, Inbox } from "../../src/core/features/webhooks/inbox/inbox.ts";
import { createPostgresInbox } from "../../src/core/features/webhooks/inbox/postgres.ts";
import { createSqliteInbox } from "../../src/core/features/webhooks/inbox/sqlite.ts";
import { chooseLookPause } from "../../src/core/features/webhooks/pace.ts";
import { Worker } from "../../src/core/features/webhooks/worker.ts";
import { logging } from "../../src/core/log.ts";
import { createStore } from "../../src/core/store/postgres.ts";
import { features } from "../../src/features.ts";

const newPostgresDatabase = await newPostgresDatabases();
const handled = 50_000;

test("the inbox does not scan handled events for an event, on SQLite", async () => {
  const db = new DatabaseSync(":memory:", { returnArrays: true });
  const plans: string[] = [];
  const prepare = (sql: string) => {
    const statement = db.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const all = (...values: never[]) => {
      const rows = statement.all(...values) as unknown as unknown[][];
      plans.push(`${sql.trim()}\n${rows.map((row) => row.at(-1)).join("\n")}`);
      return rows;
    };
    return { all } as unknown as StatementSync;
  };
  const inbox = createSqliteInbox({
    onOpen: (use) => use({ exec: (sql: string) => db.exec(sql), prepare } as unknown as DatabaseSync),
    run: async (work) => work(),
    write: async (work) => work()(),
    query: assert.fail,
  });
  db.exec(`INSERT INTO webhook_events (source, id, type, body, received_at, attempts, handled_at)
    WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${handled})
    SELECT 'github', value, 'push', '', 1, 1, value FROM series`);
  await useAll(inbox);
  const scans = plans.filter((plan) => /^SCAN webhook_events(?! USING (COVERING )?INDEX)/m.test(plan));
  assert.deepEqual([plans.length, scans], [9, []]);
});

test("the inbox does not scan handled events for an event, on PostgreSQL", async () => {
  const client = new Client(await newPostgresDatabase());
  await client.connect();
  after(() => client.end());
  const plans: string[] = [];
  const opened: Promise<unknown>[] = [];
  const inbox = createPostgresInbox({
    onOpen: (plan) => void opened.push(plan(client).then((changes) => Promise.all(changes.map((make) => make())))),
    locate: (table) => table,
    async query(text, values) {
      const { rows } = await client.query({ text: `EXPLAIN ${text}`, values, rowMode: "array" });
      plans.push(`${text.trim()}\n${rows.flat().join("\n")}`);
      return rows;
    },
  });
  await Promise.all(opened);
  await client.query(`INSERT INTO webhook_events (source, id, type, body, received_at, attempts, handled_at)
    SELECT 'github', value, 'push', '', 1, 1, value FROM generate_series(1, ${handled}) value`);
  // The planner's statistics may be old or new.
  await useAll(inbox);
  await client.query("ANALYZE webhook_events");
  await useAll(inbox);
  assert.deepEqual([plans.length, plans.filter((plan) => /Seq Scan on webhook_events/.test(plan))], [18, []]);
});

test("eight replicas look for due events hardly more often than one", async () => {
  const [one, eight] = await Promise.all([countLooks(1), countLooks(8)]);
  // The first look of each is not shared out, nor is the second, after a second.
  assert.ok(one >= 3 && eight - 2 * 8 <= 2 * one, `${one} looks of one replica, ${eight} of eight`);
});

test("a hundred replicas that start together look a few times in a second, and those that remain go on", () => {
  const replicas = Array.from({ length: 100 }, () => ({ next: 0, last: 0 }));
  let looks = 0;
  const look = (from: number, to: number, some: typeof replicas) => {
    const before = looks;
    for (;;) {
      const replica = some.reduce((first, other) => (other.next < first.next ? other : first));
      if (replica.next >= to) return (looks - before) / ((to - from) / 1000);
      looks++;
      replica.next += chooseLookPause(replica.last === 0 ? 1 : looks - replica.last);
      replica.last = looks;
    }
  };
  look(0, 60_000, replicas);
  const ofAll = look(60_000, 600_000, replicas);
  assert.ok(ofAll > 1 && ofAll < 6, `${ofAll} a second`);
  const [survivor] = replicas;
  assert.ok(survivor);
  look(600_000, 660_000, [survivor]);
  const ofOne = look(660_000, 720_000, [survivor]);
  assert.ok(ofOne > 0.8 && ofOne < 1.2, `${ofOne} a second`);
});

/** How often replicas on one database look within some seconds. */
async function countLooks(replicas: number): Promise<number> {
  logging.level = "silent";
  const databaseUrl = await newPostgresDatabase();
  const stop: (() => Promise<void>)[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    const store = createStore({ databaseUrl, handlerTimeoutMs: 20_000 }, features);
    await store.open();
    const worker = new Worker(store.inbox, { handlerTimeoutMs: 20_000, keepDays: 30 } as never);
    worker.start({} as never);
    stop.push(async () => {
      await worker.stop();
      await store.close();
    });
  }
  await sleep(6000);
  for (const one of stop) await one();
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query("SELECT last_value::int AS looks FROM webhook_looks");
  await client.end();
  return rows[0].looks;
}

/** Runs the queries for each event and for each second. Here they return their plans. */
async function useAll(inbox: Inbox): Promise<void> {
  const event = { source: "github", id: "one", type: "push", body: Buffer.from("{}") } as const;
  const claimed: Claimed = { ...event, number: 1, attempt: 1, receivedAt: new Date() };
  await inbox.accept(event);
  await inbox.look();
  await inbox.claim(10, 1000).catch(() => {});
  await inbox.finish(claimed);
  await inbox.postpone(claimed, 1, "");
  await inbox.park(claimed, "");
  await inbox.prune(0, 0);
}
