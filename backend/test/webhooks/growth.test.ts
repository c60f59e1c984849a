import assert from "node:assert/strict";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { after, test } from "node:test";
import { Client } from "pg";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import type { Claimed, Inbox } from "../../src/core/features/webhooks/inbox/inbox.ts";
import { createPostgresInbox } from "../../src/core/features/webhooks/inbox/postgres.ts";
import { createSqliteInbox } from "../../src/core/features/webhooks/inbox/sqlite.ts";

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
  });
  db.exec(`INSERT INTO webhook_events (source, id, type, body, received_at, attempts, handled_at)
    WITH RECURSIVE series(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series WHERE value < ${handled})
    SELECT 'github', value, 'push', '', 1, 1, value FROM series`);
  await useAll(inbox);
  const scans = plans.filter((plan) => /^SCAN webhook_events(?! USING (COVERING )?INDEX)/m.test(plan));
  assert.deepEqual([plans.length, scans], [8, []]);
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
  assert.deepEqual([plans.length, plans.filter((plan) => /Seq Scan on webhook_events/.test(plan))], [16, []]);
});

/** Runs the queries for each event and for each second. Here they return their plans. */
async function useAll(inbox: Inbox): Promise<void> {
  const event = { source: "github", id: "one", type: "push", body: Buffer.from("{}") } as const;
  const claimed: Claimed = { ...event, number: 1, attempt: 1, receivedAt: new Date() };
  await inbox.accept(event);
  await inbox.claim(10, 1000).catch(() => {});
  await inbox.finish(claimed);
  await inbox.postpone(claimed, 1, "");
  await inbox.park(claimed, "");
  await inbox.prune(0, 0);
}
