import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Client } from "pg";
import { Backend } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { Postgres } from "../../kit/test/postgres.ts";
import { type Answer, create, get, listAll } from "../support/client.ts";
import { Load } from "../support/load.ts";
import { earlier, firstIn } from "../support/matrix.ts";

const postgres = await Postgres.start();
after(() => postgres.stop());

const noiseMs = 15_000;

const loadedFrameworks = firstIn("fastify");

test(`PostgreSQL may stop and start again under load: ${loadedFrameworks.join(", ")}`, {
  timeout: 120_000,
}, async (t) => {
  using backends = new DisposableStack();
  const started = await Promise.all(
    loadedFrameworks.map(async (framework) => {
      const url = await postgres.database();
      const backend = backends.use(
        await Backend.start({ FRAMEWORK: framework, DATABASE_URL: url, HANDLER_TIMEOUT_MS: "60000" }),
      );
      return { framework, backend, password: new URL(url).password };
    }),
  );
  const loaded = started.map((each) => ({ ...each, load: new Load(each.backend.url, { clients: 2, pauseMs: 50 }) }));
  await Promise.all(loaded.map(({ load }) => load.hasCreated(10)));
  await postgres.stop();
  for (const { framework, backend } of loaded)
    await t.test(`${framework} answers 503 at once`, () => isUnavailable(backend.url));
  const before = loaded.map(({ load }) => load.acknowledged.length);
  await postgres.startAgain();
  for (const [index, { framework, backend, password, load }] of loaded.entries())
    await t.test(`${framework} recovers without a restart and has every acknowledged item`, async () => {
      await isHealthyAgain(backend.url);
      await load.hasCreated((before[index] ?? 0) + 1);
      await load.end();
      assert.deepEqual(load.failures, []);
      const refused = load.answers.filter(({ status }) => status !== 201);
      for (const answer of refused) assertUnavailable(answer);
      await hasAll(backend.url, load.acknowledged);
      assert.equal(await backend.stop(), 0);
      assert.ok(!backend.logged.join().includes(password));
    });
});

test("a backend that starts before PostgreSQL serves as soon as PostgreSQL does", {
  skip: earlier,
  timeout: 60_000,
}, async () => {
  const url = await postgres.database();
  await postgres.stop();
  using backend = await Backend.start({ DATABASE_URL: url });
  await isUnavailable(backend.url);
  await postgres.startAgain();
  await isHealthyAgain(backend.url);
  assert.equal((await create(backend.url, "first")).status, 201);
});

test("ten replicas that start at the same time on an empty database all work", {
  skip: earlier,
  timeout: 60_000,
}, async () => {
  const url = await postgres.database();
  using replicas = new DisposableStack();
  const started = await Promise.all(
    Array.from({ length: 10 }, async () => replicas.use(await Backend.start({ DATABASE_URL: url }))),
  );
  const answers = await Promise.all(started.map((replica) => create(replica.url, "from a replica")));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  for (const { url } of started) assert.equal((await listAll(url)).length, 10);
  assert.deepEqual(
    started.flatMap(({ logged }) => logged.filter((line) => !line.includes('"level":"info"'))),
    [],
  );
});

test("requests fail in time while PostgreSQL hangs", { skip: earlier, timeout: 60_000 }, async () => {
  const handlerTimeoutMs = 10_000;
  using backend = await Backend.start({
    DATABASE_URL: await postgres.database(),
    HANDLER_TIMEOUT_MS: String(handlerTimeoutMs),
  });
  const before = await create(backend.url, "before");
  postgres.freeze();
  try {
    const requests = [get(backend.url, "/items"), create(backend.url, "during")];
    const failures = Promise.all(requests.map((request) => inTime(handlerTimeoutMs + 2000, request)));
    await Promise.race([
      inTime(1000, get(backend.url, "/health")),
      failures.then(() => assert.fail("health was later")),
    ]);
    await failures;
  } finally {
    postgres.thaw();
  }
  await isHealthyAgain(backend.url);
  const after = await create(backend.url, "after");
  assert.deepEqual([before.status, after.status], [201, 201]);
  await hasAll(backend.url, [before.body.id ?? "", after.body.id ?? ""]);
});

describe("/health notices that PostgreSQL accepts no writes", { skip: earlier, timeout: 60_000 }, () => {
  test("because it is read-only", async () => {
    const url = await postgres.database();
    using backend = await Backend.start({ DATABASE_URL: url });
    const name = new URL(url).pathname.slice(1);
    const set = async (value: string) => {
      await execute(postgres.url, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await execute(postgres.url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    };
    await set("on");
    await eventually(async () => (await get(backend.url, "/health")).status === 503, "the backend to be unhealthy");
    assertUnavailable(await create(backend.url, "for nobody"));
    await set("off");
    await isHealthyAgain(backend.url);
  });

  test("and that it accepts them again, from a role that may not make temporary tables", async () => {
    const url = new URL(await postgres.database());
    const name = url.pathname.slice(1);
    await execute(
      url.href,
      `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC; GRANT CREATE ON SCHEMA public TO PUBLIC`,
    );
    await execute(url.href, `CREATE ROLE writer_of_${name} LOGIN PASSWORD 'not-a-secret'`);
    Object.assign(url, { username: `writer_of_${name}`, password: "not-a-secret" });
    using backend = await Backend.start({ DATABASE_URL: url.href });
    const set = async (value: string) => {
      await execute(postgres.url, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await execute(postgres.url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    };
    await set("on");
    await eventually(async () => (await create(backend.url, "for nobody")).body.code === "unavailable", "a refusal");
    await set("off");
    await isHealthyAgain(backend.url);
    assert.doesNotMatch(backend.logged.join("\n"), /"stack"/);
  });

  test("because a failover left it connected to a server that is now read-only", async () => {
    const url = await postgres.database();
    using backend = await Backend.start({ DATABASE_URL: url });
    const name = new URL(url).pathname.slice(1);
    const load = new Load(backend.url, { clients: 4 });
    await load.hasCreated(10);
    await execute(postgres.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await execute(postgres.url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    await eventually(async () => (await get(backend.url, "/health")).status === 503, "the backend to be unhealthy");
    // Connections of now stay read-only: only new ones can write.
    await execute(postgres.url, `ALTER DATABASE ${name} SET default_transaction_read_only = off`);
    await isHealthyAgain(backend.url);
    await load.hasCreated(load.acknowledged.length + 10);
    await load.end();
    assert.deepEqual(load.failures, []);
    for (const answer of load.answers) if (answer.status !== 201) assertUnavailable(answer);
    await hasAll(backend.url, load.acknowledged);
    assert.doesNotMatch(backend.logged.join("\n"), /"stack"/);
  });

  test("because its disk is full", async () => {
    const url = await postgres.database();
    using backend = await Backend.start({ DATABASE_URL: url });
    assert.equal((await create(backend.url, "before")).status, 201);
    // What a server with a full disk reports for a row, and for a table.
    await execute(
      url,
      `
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space' USING ERRCODE = 'disk_full'; END $$;
      CREATE FUNCTION fill_all() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_rows BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION fill();
      CREATE EVENT TRIGGER full_tables ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION fill_all()`,
    );
    assertUnavailable(await create(backend.url, "for nobody"));
    await eventually(async () => (await get(backend.url, "/health")).status === 503, "the backend to be unhealthy");
    assert.equal((await get(backend.url, "/items")).status, 200);
    await execute(url, "DROP EVENT TRIGGER full_tables; DROP TRIGGER full_rows ON items");
    await isHealthyAgain(backend.url);
    assert.equal((await create(backend.url, "after")).status, 201);
  });
});

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function isUnavailable(url: string): Promise<void> {
  await Promise.all([
    inTime(0, get(url, "/health")),
    inTime(0, get(url, "/items")),
    inTime(0, create(url, "for nobody")),
  ]);
}

async function inTime(limitMs: number, answer: Promise<Answer>): Promise<void> {
  const started = performance.now();
  assertUnavailable(await answer);
  const tookMs = performance.now() - started;
  assert.ok(tookMs < limitMs + noiseMs, `took ${tookMs} ms`);
}

function assertUnavailable({ status, headers, body }: Answer): void {
  assert.deepEqual([status, body.code], [503, "unavailable"]);
  assert.match(headers["retry-after"] ?? "", /^\d+$/);
}

async function isHealthyAgain(url: string): Promise<void> {
  await eventually(async () => (await get(url, "/health")).status === 200, "the backend to be healthy again");
}

async function hasAll(url: string, ids: string[]): Promise<void> {
  const stored = new Set((await listAll(url)).map(({ id }) => id));
  assert.deepEqual(
    ids.filter((id) => !stored.has(id)),
    [],
  );
}

test("what PostgreSQL reports about a refused row is not logged", { skip: earlier }, async () => {
  const url = await postgres.database();
  using backend = await Backend.start({ DATABASE_URL: url });
  const client = new Client(url);
  await client.connect();
  await client.query("ALTER TABLE items ADD COLUMN owed text; ALTER TABLE items ALTER COLUMN owed SET NOT NULL");
  await client.end();
  assert.equal((await create(backend.url, "planted-name")).status, 500);
  assert.equal(await backend.stop(), 0);
  const output = backend.logged.join("\n");
  assert.match(output, /violates not-null constraint/);
  assert.doesNotMatch(output, /planted-name|not-a-secret/);
});
