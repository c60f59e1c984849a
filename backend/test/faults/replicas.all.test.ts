import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { Backend } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { Postgres } from "../../kit/test/postgres.ts";
import { get, listAll } from "../support/client.ts";
import { Load } from "../support/load.ts";

const postgres = await Postgres.start();
after(() => postgres.stop());

/** Runs SQL in the server's own database. */
async function execute(text: string): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  await client.query(text).finally(() => client.end());
}

const cut = (name: string) =>
  execute(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);

/** What happens to the database, by its name. Each ends with a database that works. */
const events: [what: string, happen: (name: string) => Promise<void>][] = [
  [
    "is cut off again and again",
    async (name) => {
      for (let times = 0; times < 5; times++) {
        await cut(name);
        await sleep(200);
      }
    },
  ],
  [
    "is restarted",
    async () => {
      await postgres.stop();
      await sleep(2000);
      await postgres.startAgain();
    },
  ],
  [
    "fails over, and is read-only for a while",
    async (name) => {
      await execute(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await cut(name);
      await sleep(2000);
      // Connections of now stay read-only, as if they led to the old server.
      await execute(`ALTER DATABASE ${name} SET default_transaction_read_only = off`);
    },
  ],
];

for (const [what, happen] of events)
  test(`ten replicas recover by themselves and lose nothing when their database ${what}`, {
    timeout: 240_000,
  }, async () => {
    const url = await postgres.database();
    const name = new URL(url).pathname.slice(1);
    using stack = new DisposableStack();
    const replicas = await Promise.all(
      Array.from({ length: 10 }, async () =>
        stack.use(await Backend.start({ DATABASE_URL: url, DATABASE_POOL_SIZE: "4" })),
      ),
    );
    const loads = replicas.map((replica) => new Load(replica.url, { clients: 2, pauseMs: 50 }));
    await Promise.all(loads.map((load) => load.hasCreated(5)));
    await happen(name);
    for (const replica of replicas)
      await eventually(async () => (await get(replica.url, "/health")).status === 200, "a replica to be healthy again");
    await Promise.all(loads.map((load) => load.hasCreated(load.acknowledged.length + 5)));
    await Promise.all(loads.map((load) => load.end()));
    assert.deepEqual(
      loads.flatMap(({ failures }) => failures),
      [],
    );
    const refused = loads.flatMap(({ answers }) => answers.filter(({ status }) => status !== 201));
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code], [503, "unavailable"]);
      assert.ok(headers["retry-after"]);
    }
    const [first] = replicas;
    const found = new Set((await listAll(first?.url ?? "")).map(({ id }) => id));
    const acknowledged = loads.flatMap((load) => load.acknowledged);
    assert.deepEqual(
      acknowledged.filter((id) => !found.has(id)),
      [],
    );
    assert.equal(new Set(acknowledged).size, acknowledged.length);
    for (const replica of replicas) assert.doesNotMatch(replica.logged.join("\n"), /"stack"/);
    for (const replica of replicas) assert.equal(await replica.stop(), 0);
  });
