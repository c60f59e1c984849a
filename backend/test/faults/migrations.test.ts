import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { everyDatabase } from "../../kit/test/databases.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { flushLog, logging } from "../../src/core/log.ts";
import type { Resource } from "../../src/core/resource.ts";
import { type Migration, readStatements, skip } from "../../src/core/store/migrations.ts";
import { createStore } from "../../src/core/store/open.ts";
import { placeInSchema } from "../../src/core/store/schema.ts";
import { missing, PgBouncer } from "../support/pgbouncer.ts";

logging.level = "silent";
const databases = await everyDatabase();
const folders: string[] = [];
after(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })));

const items: Resource<{ name: string }> = {
  name: "items",
  title: "Item",
  schema: undefined as never,
  columns: { name: { type: "text", isRequired: true } },
};
/** What the next release has. */
const priced = { ...items, columns: { ...items.columns, price: { type: "integer" as const, isRequired: true } } };
const addPrice = 'ALTER TABLE "items" ADD COLUMN "price" bigint NOT NULL DEFAULT 5;\n';
const count = "CREATE TABLE counted (number integer);";

const latin1 = Buffer.from(`${count} -- caf\u00e9`, "latin1");
const utf16 = Buffer.from(`\uFEFF${count}`, "utf16le");

/** The files of a project: their texts, by names without the kind of database. */
type Files = Record<string, string | Buffer>;

for (const [title, newDatabase] of databases) {
  const kind = title === "SQLite" ? "sqlite" : "postgres";
  const newWorld = async () => new World(kind, await newDatabase());

  describe(`migrations on ${title}`, { timeout: 240_000 }, () => {
    test("are applied in order and once, and recorded", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const files = { "0001-price": addPrice, "0002-double": 'UPDATE "items" SET "price" = "price" * 2' };
      assert.deepEqual(await world.open(files, priced), [{ name: "first", price: 10 }]);
      assert.deepEqual(await world.open(files, priced), [{ name: "first", price: 10 }]);
      assert.deepEqual(await world.readRecord(), ["0001-price", "0002-double"]);
      assert.deepEqual(await world.list(files), ["0001-price  applied TIME", "0002-double  applied TIME"]);
    });

    test("are listed by a plan, which applies none", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const files = { "0001-price": addPrice };
      assert.deepEqual(await world.list(files, true), ["0001-price  pending"]);
      assert.deepEqual(await world.list({}, true), ["There are no migrations."]);
      assert.deepEqual(await world.readRecord(), []);
      assert.deepEqual(await world.list(files), ["0001-price  applied now"]);
      assert.deepEqual(await world.open(files, priced), [{ name: "first", price: 5 }]);
    });

    test("are only recorded in a new database, whose tables are as the code has them", async () => {
      const world = await newWorld();
      await world.query("CREATE TABLE of_another_program (a integer)");
      assert.deepEqual(await world.open({ "0001-price": addPrice }, priced, { name: "first", price: 7 }), [
        { name: "first", price: 7 },
      ]);
      assert.deepEqual(await world.readRecord(), ["0001-price"]);
    });

    test("of the owner are run in a new database, once its tables are made; the others are only recorded", async () => {
      const world = await newWorld();
      const files = {
        "0001-notes": 'CREATE TABLE notes (text text, item text); CREATE INDEX by_name ON "items" (name);',
        "0002-price": addPrice,
        "0003-gone": 'CREATE INDEX by_gone ON "items" (gone)',
        "0004-own": `ALTER TABLE "items" ADD COLUMN "own" text; CREATE INDEX by_own ON "items" (own); ${count} INSERT INTO counted VALUES (5)`,
      };
      assert.deepEqual(await world.list(files, false, priced), [
        "0001-notes  applied now",
        "0002-price  recorded: the database is new",
        "0003-gone  recorded: the database is new",
        "0004-own  applied now",
      ]);
      assert.deepEqual(await world.query("SELECT number FROM counted").then(toNumbers), [5]);
      assert.deepEqual(await world.query('SELECT own FROM "items", notes'), []);
      assert.deepEqual(await world.open(files, priced, { name: "first", price: 7 }), [{ name: "first", price: 7 }]);
      assert.deepEqual(await world.readRecord(), Object.keys(files));
    });

    test("with a fault are refused in a new database, too, which is finished once they are right", async () => {
      const world = await newWorld();
      const files = { "0001-notes": "CREATE TABLE notes (a integer)", "0002-count": "CREATE TABEL x (a integer)" };
      for (const use of [() => world.open(files, items), () => world.list(files)])
        await assert.rejects(use(), /0002-count.*syntax error/);
      const right = { ...files, "0002-count": count, "0003-price": addPrice };
      assert.deepEqual(await world.open(right, priced, { name: "first", price: 7 }), [{ name: "first", price: 7 }]);
      assert.deepEqual(await world.query("SELECT number FROM counted, notes"), []);
      assert.deepEqual(await world.readRecord(), Object.keys(right));
    });

    test("that make a table of the code again are not run in a new database", async () => {
      const world = await newWorld();
      const again =
        'CREATE TABLE n (a integer); INSERT INTO n SELECT 1 FROM "items"; DROP TABLE "items"; ALTER TABLE n RENAME TO "items";';
      const files = { "0001-again": again, "0002-count": count };
      assert.deepEqual(await world.open(files, items), [{ name: "first" }]);
      assert.deepEqual(await world.query("SELECT number FROM counted"), []);
    });

    test("do not make a database old whose table of another program has the name of a column", async () => {
      const world = await newWorld();
      for (const name of ["price", "a (b"]) await world.query(`CREATE TABLE "${name}" (a integer)`);
      assert.equal((await world.open({ "0001-price": addPrice }, priced, { name: "a", price: 7 })).length, 1);
    });

    test("with a byte order mark are applied", async () => {
      const world = await newWorld();
      await world.open({}, items);
      await world.open({ "0001-count": `\uFEFF${count}` }, items);
      assert.deepEqual(await world.query("SELECT number FROM counted"), []);
    });

    test("are applied if the tables that they name have other names in the code", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const renamed = { ...items, name: "things" };
      const files = { "0001-rename": 'ALTER TABLE "items" RENAME TO "things"' };
      assert.deepEqual(await world.open(files, renamed), [{ name: "first" }]);
    });

    test("with `off` are not applied", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const files = { "0001-count": count };
      await world.open(files, items, undefined, "off");
      assert.deepEqual(await world.readRecord(), []);
    });

    test("of a newer release do not keep an older one from starting", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const files = { "0001-count": count, "0002-comment": "-- nothing" };
      await world.open(files, items);
      assert.equal((await world.open({ "0001-count": count }, items)).length, 1);
      assert.deepEqual(await world.list({ "0001-count": count }, true), [
        "0001-count  applied TIME",
        "0002-comment  applied by a newer release",
      ]);
    });

    const faults: [title: string, files: Files, message: RegExp][] = [
      ["a gap", { "0001-a": count, "0003-c": "" }, /^migrations: there is no 0002$/],
      ["no first number", { "0002-a": count }, /^migrations: there is no 0001$/],
      [
        "a number twice",
        { "0001-a": count, "0001-b": "" },
        /^migrations: 0001-a and 0001-b have the same number; give one the next number$/,
      ],
      ["the number 0000", { "0000-a": count }, /^migrations\/0000-a\.\w+\.sql: name it like 0001-what\.\w+\.sql$/],
      [
        "another database",
        { "0001-a": count, "0002-b.pg": count },
        /^migrations\/0002-b\.pg\.\w+\.sql: name it like 0001-what\.\w+\.sql$/,
      ],
      [
        "a database that does not exist",
        { "0001-a.mysql.sql": count },
        /^migrations\/0001-a\.mysql\.sql: name it like 0001-what\.\w+\.sql$/,
      ],
      [
        "another encoding",
        { "0001-a": count, "0002-b": latin1 },
        /^migrations\/0002-b\.\w+\.sql is not text in UTF-8;/,
      ],
      ["UTF-16", { "0001-a": utf16 }, /^migrations\/0001-a\.\w+\.sql is not text in UTF-8;/],
      ["the character U+0000", { "0001-a": `${count}\0 junk` }, /^migrations\/0001-a\.\w+\.sql is not text in UTF-8;/],
      ["another name", { "1-a": count }, /^migrations\/1-a\.\w+\.sql: name it like 0001-what\.\w+\.sql$/],
      [
        "a syntax error",
        { "0001-a": `${count}\nCREATE TABEL x (a integer);` },
        /^migrations\/0001-a\.\w+\.sql(, line 2)?: .*syntax error.*\. Nothing of this file is applied\.$/,
      ],
      ["a COMMIT", { "0001-a": `${count} /* ' */ commit; SELECT 1` }, /^migrations\/0001-a\.\w+\.sql: .*remove/],
      [
        "several statements outside a transaction",
        { "0001-a": `-- no transaction\n${count} SELECT ';'` },
        /: what runs outside a transaction is one statement; this has 2$/,
      ],
      [
        "what cannot run in a transaction",
        { "0001-a": kind === "sqlite" ? "-- no transaction\nVACUUM" : "CREATE INDEX CONCURRENTLY a ON items (name)" },
        kind === "sqlite"
          ? /SQLite runs everything in a transaction; remove the first line$/
          : /block; write it alone in a file whose first line is: -- no transaction/,
      ],
    ];
    for (const [fault, files, message] of faults)
      test(`with ${fault} are refused with one line, and change nothing`, async () => {
        const world = await newWorld();
        await world.open({}, items);
        const before = await world.describe();
        for (const use of [() => world.open(files, items), () => world.list(files)]) {
          const refused = await use().then(
            () => assert.fail("it was opened"),
            (error: Error) => error.message,
          );
          assert.match(refused, message);
          assert.doesNotMatch(refused, /\n/);
        }
        assert.equal(await world.describe(), before);
      });

    const differences: [title: string, files: Files, message: RegExp][] = [
      [
        "changed",
        { "0001-a": "-- another", "0002-b": "" },
        /^migrations\/0001-a\.\w+\.sql was changed after it was applied/,
      ],
      [
        "missing",
        { "0001-other": count, "0002-b": "" },
        /^migrations: 0001-a was applied .*file is missing; restore it$/,
      ],
    ];
    for (const [difference, files, message] of differences)
      test(`one that is ${difference} after it was applied is refused by its name`, async () => {
        const world = await newWorld();
        await world.open({}, items);
        await world.open({ "0001-a": count, "0002-b": "" }, items);
        await assert.rejects(world.open(files, items), { message });
        await assert.rejects(world.list(files, true), { message });
      });

    test("one that comes late is refused", async () => {
      const world = await newWorld();
      await world.open({}, items);
      await world.open({ "0001-a": count, "0002-b": "", "0003-c": "" }, items);
      await world.query("DELETE FROM applied_migrations WHERE number = 2");
      await assert.rejects(world.open({ "0001-a": count, "0002-b": "", "0003-c": "" }, items), {
        message: /0002-b\.\w+\.sql comes before 0003-c, which is applied/,
      });
    });

    test("line ends are not a change", async () => {
      const world = await newWorld();
      await world.open({}, items);
      await world.open({ "0001-a": `${count}\n-- end\n` }, items);
      await world.open({ "0001-a": `${count}\r\n-- end\r\n` }, items);
    });

    test("are applied once by replicas that start at the same time", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const files = { "0001-count": count, "0002-add": "INSERT INTO counted VALUES (1)", "0003-price": addPrice };
      const replicas = [1, 2, 3, 4].map(() => world.start(files));
      for (const replica of replicas) assert.equal(await replica.exit(), 0, replica.stderr);
      assert.deepEqual(await world.query("SELECT number FROM counted"), [{ number: 1 }]);
      assert.deepEqual(await world.readRecord(), Object.keys(files));
    });

    test("one that is killed is not applied by half: the next process applies it", async () => {
      const world = await newWorld();
      await world.open({}, items);
      const long =
        kind === "sqlite"
          ? "INSERT INTO counted WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4e6) SELECT i FROM n;"
          : "INSERT INTO counted SELECT 1 FROM pg_sleep(3);";
      const files = { "0001-count": count, "0002-long": `${addPrice} ${long} INSERT INTO counted VALUES (-1);` };
      const killed = world.start(files);
      await eventually(async () => (await world.readRecord()).length === 1, "the first migration");
      killed.process.kill("SIGKILL");
      await killed.exit();
      assert.deepEqual(
        await world.query("SELECT count(*) AS number FROM counted WHERE number < 0").then(toNumbers),
        [0],
      );
      const next = world.start(files);
      assert.equal(await next.exit(), 0, next.stderr);
      assert.deepEqual(
        await world.query("SELECT count(*) AS number FROM counted WHERE number < 0").then(toNumbers),
        [1],
      );
      assert.deepEqual(await world.readRecord(), Object.keys(files));
    });
  });
}

describe("on PostgreSQL", { timeout: 240_000 }, () => {
  const alone = "-- no transaction\nCREATE UNIQUE INDEX CONCURRENTLY by_name ON items (name);\n";

  test("an index is built outside a transaction, and one that is left over is built again", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    await world.open({}, items);
    await world.query("CREATE UNIQUE INDEX by_name ON items (name)");
    await world.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'by_name'::regclass");
    await world.open({ "0001-index": alone }, items);
    const valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_name'::regclass";
    assert.deepEqual(await world.query(valid), [{ indisvalid: true }]);
    await world.query("DELETE FROM applied_migrations");
    await world.open({ "0001-index": alone }, items);
    assert.deepEqual(await world.readRecord(), ["0001-index"]);
  });

  test("an index that rows do not keep leaves nothing", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    await world.open({}, items);
    await world.query("INSERT INTO items (id, name, created_at) SELECT gen_random_uuid(), name, now() FROM items");
    await assert.rejects(
      world.open({ "0001-index": alone }, items),
      /0001-index\.postgres\.sql: could not create unique/,
    );
    assert.deepEqual(await world.query("SELECT to_regclass('by_name') AS found"), [{ found: null }]);
  });

  test("an index is built outside a transaction in a new database, too", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    await world.open({ "0001-index": alone }, items);
    assert.deepEqual(await world.query("SELECT to_regclass('by_name') IS NULL AS missing"), [{ missing: false }]);
  });

  test("an index is built by a role whose transactions keep what they have seen", async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    await new World("postgres", url).open({}, items);
    const world = new World("postgres", `${url}?options=-c%20default_transaction_isolation%3Dserializable`);
    await world.open({ "0001-index": alone }, items);
    assert.deepEqual(await world.readRecord(), ["0001-index"]);
  });

  test("a file may take longer than a transaction of the role", async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    await new World("postgres", url).open({}, items);
    const world = new World("postgres", `${url}?options=-c%20transaction_timeout%3D500`);
    await world.open({ "0001-long": `${count} SELECT pg_sleep(1);` }, items);
    assert.deepEqual(await world.readRecord(), ["0001-long"]);
  });

  test("a database that cannot store every text is refused", async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    const name = `latin_${process.pid}`;
    await new World("postgres", url).query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    const latin = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    await assert.rejects(new World("postgres", latin).open({}, items), /its encoding is LATIN1; use a database with/);
    await new World("postgres", url).query(`DROP DATABASE ${name}`);
  });

  test("COPY from a client is refused by its file", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    await world.open({}, items);
    await assert.rejects(
      world.list({ "0001-copy": "COPY items (name) FROM STDIN" }),
      /migrations\/0001-copy\.postgres\.sql: COPY.*INSERT/,
    );
  });

  const ownFaults: [title: string, sql: string, message: RegExp][] = [
    [
      "an operation that is not valid",
      "GRANT EXECUTE ON TABLE items TO CURRENT_USER",
      /invalid privilege type EXECUTE/,
    ],
    ["no case that is met", "DO $$ BEGIN CASE 5 WHEN 1 THEN NULL; END CASE; END $$", /case not found/],
    [
      "a function that returns nothing",
      "CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN END $$; SELECT f();",
      /control reached end of function/,
    ],
    ["a code of the owner", "DO $$ BEGIN RAISE 'not yet' USING ERRCODE = 'MY001'; END $$", /not yet/],
    [
      "a constraint that it checks at its end",
      "CREATE TABLE d (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED); INSERT INTO d VALUES (1), (1)",
      /duplicate key value violates unique constraint/,
    ],
    ["its own timeout", "SET LOCAL statement_timeout = 10; SELECT pg_sleep(60)", /statement timeout/],
    ["a file that the server does not have", "COPY items (name) FROM '/nowhere'", /could not open file "\/nowhere"/],
    ["a transaction that only reads", "SET TRANSACTION READ ONLY", /cannot execute INSERT in a read-only transaction/],
    ["no record any more", "DROP TABLE applied_migrations", /relation "applied_migrations" does not exist/],
  ];
  for (const [fault, sql, message] of ownFaults)
    test(`${fault} is a fault of the file, which is not tried again`, async () => {
      const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
      await world.open({}, items);
      const files = { "0001-count": count, "0002-fault": sql };
      for (const use of [() => world.open(files, items), () => world.list(files)])
        await assert.rejects(use(), (error: Error) => {
          assert.match(error.message, /^migrations\/0002-fault\.postgres\.sql(, line 1)?: .+\. Nothing of this file/);
          assert.match(error.message, message);
          return true;
        });
      assert.deepEqual(await world.readRecord(), ["0001-count"]);
    });

  test("a role that may not make tables is refused with the name of the file", async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    const world = new World("postgres", url);
    await world.open({}, items);
    await world.query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    await withRole(world, async (url) => {
      await assert.rejects(new World("postgres", url).list({ "0001-count": count }), {
        message: /^migrations\/0001-count\.postgres\.sql: permission denied for schema public\. Nothing/,
      });
    });
  });

  test("a server that only reads is waited for", async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    await new World("postgres", url).open({}, items);
    const world = new World("postgres", `${url}?options=-c%20default_transaction_read_only%3Don`, {
      handlerTimeoutMs: 200,
    });
    for (const sql of [count, alone])
      await assert.rejects(world.list({ "0001-count": sql }), {
        // On a busy machine, the last attempt may not connect in time.
        message:
          /^The database of DATABASE_URL cannot be used: (cannot execute .* in a read-only transaction|timeout expired)$/,
      });
  });

  test("a file may go back to a savepoint, however that is written", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    await world.open({}, items);
    const back = ["ROLLBACK TO a", "ROLLBACK WORK TO SAVEPOINT a", "ROLLBACK TRANSACTION TO a"];
    const sql = `SAVEPOINT a; ${back.map((one) => `${count} ${one};`).join(" ")} ${count}`;
    assert.deepEqual(await world.list({ "0001-back": sql }), ["0001-back  applied now"]);
    await assert.rejects(world.list({ "0001-back": sql, "0002-end": "ROLLBACK WORK" }), /0002-end.*: ROLLBACK WORK is/);
  });

  test("settings of a file do not stay, and its search path does not hide the record", { skip: missing }, async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    const pooler = await PgBouncer.start(url, { default_pool_size: 2 });
    const world = new World("postgres", pooler.through(url), { schema: "api" });
    try {
      await world.open({}, items);
      const settings =
        "SELECT pg_catalog.set_config('search_path', '', false); SET work_mem = '77MB'; SET ROLE pg_monitor;";
      assert.deepEqual(
        await world.list({ "0001-dump": `${settings} RESET ROLE; SET default_transaction_isolation = serializable` }),
        ["0001-dump  applied now"],
      );
      const clients = [new Client(world.url), new Client(world.url)];
      await Promise.all(clients.map((client) => client.connect()));
      const text =
        "SELECT current_setting('work_mem') AS memory, current_setting('search_path') AS path FROM pg_sleep(0.2)";
      const seen = await Promise.all(clients.map((client) => client.query(text)));
      await Promise.all(clients.map((client) => client.end()));
      for (const { rows } of seen) assert.deepEqual(rows, [{ memory: "4MB", path: '"$user", public' }]);
    } finally {
      await pooler.stop();
    }
  });

  test("behind a pooler, an index of a schema is built where its table is, or refused", { skip: missing }, async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    const pooler = await PgBouncer.start(url);
    try {
      await new World("postgres", url).open({}, items);
      const world = new World("postgres", pooler.through(url), { schema: "api" });
      await world.open({}, items);
      await assert.rejects(world.list({ "0001-index": alone }), /0001-index\.postgres\.sql: behind a pooler.* "api"/);
      const named = alone.replace("ON items", "ON api.items");
      assert.deepEqual(await world.list({ "0001-index": named }), ["0001-index  applied now"]);
      assert.deepEqual(await world.query("SELECT schemaname, tablename FROM pg_indexes WHERE indexname = 'by_name'"), [
        { schemaname: "api", tablename: "items" },
      ]);
    } finally {
      await pooler.stop();
    }
  });

  test("a pooler with one connection to the server is named", { skip: missing }, async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    const pooler = await PgBouncer.start(url, { default_pool_size: 1 });
    try {
      const world = new World("postgres", pooler.through(url), { handlerTimeoutMs: 600 });
      await assert.rejects(world.list({ "0001-count": count }), /one got no answer; let a pooler have at least two/);
    } finally {
      await pooler.stop();
    }
  });

  test("a pooler that allows no transactions is named", { skip: missing }, async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    await new World("postgres", url).open({}, items);
    const pooler = await PgBouncer.start(url, { pool_mode: "statement" });
    try {
      const world = new World("postgres", pooler.through(url), { handlerTimeoutMs: 600 });
      for (const use of [() => world.open({ "0001-count": count }, items), () => world.list({ "0001-count": count })])
        await assert.rejects(use(), /transaction blocks not allowed .*: set the pooler to transaction mode$/);
    } finally {
      await pooler.stop();
    }
  });

  test("with a fault leave no schema", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "", { schema: "api" });
    await assert.rejects(world.open({ "0001-a": count, "0003-c": "" }, items), /there is no 0002/);
    assert.deepEqual(await world.query("SELECT FROM pg_namespace WHERE nspname = 'api'"), []);
  });

  test("behind a pooler in transaction mode and in a schema they are applied once", { skip: missing }, async () => {
    const url = (await databases.get("PostgreSQL")?.()) ?? "";
    const pooler = await PgBouncer.start(url);
    const world = new World("postgres", pooler.through(url), { schema: "my-api" });
    try {
      await world.open({}, items);
      const files = { "0001-count": count, "0002-add": "INSERT INTO counted VALUES (1)", "0003-price": addPrice };
      const replicas = [1, 2, 3].map(() => world.start(files));
      for (const replica of replicas) assert.equal(await replica.exit(), 0, replica.stderr);
      assert.deepEqual(await world.query('SELECT number FROM "my-api".counted'), [{ number: 1 }]);
      assert.deepEqual(
        await world.list(files),
        ["0001-count", "0002-add", "0003-price"].map((name) => `${name}  applied TIME`),
      );
      assert.match(world.limit ?? "", /^The server allows \d+ connections; a pooler is in front of it\.$/);
    } finally {
      await pooler.stop();
    }
  });

  test("say how many connections the server, the database or the role allows", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    const readLimit = async () => {
      await world.list({});
      return world.limit;
    };
    const [settings] = await world.query(
      "SELECT sum(setting::int * CASE name WHEN 'max_connections' THEN 1 ELSE -1 END) AS allowed FROM pg_settings WHERE name LIKE '%\\_connections' AND name NOT LIKE 'log%'",
    );
    assert.equal(await readLimit(), `The server allows ${(settings as { allowed: string }).allowed} connections.`);
    const [{ name }] = (await world.query("SELECT current_database() AS name")) as [{ name: string }];
    await world.query(`ALTER DATABASE "${name}" CONNECTION LIMIT 7`);
    assert.equal(await readLimit(), "The server allows 7 connections.");
  });

  test("wait for a database that is only starting, but not for ever", async () => {
    const url = new URL((await databases.get("PostgreSQL")?.()) ?? "");
    const server = createServer((client) => {
      const upstream = connect(Number(url.port), url.hostname);
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
    });
    const listen = (port: number) => new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
    await listen(0);
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    const near = Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) }).href;
    const world = new World("postgres", near, { handlerTimeoutMs: 600 });
    await assert.rejects(world.list({}), { message: /^The database of DATABASE_URL cannot be used: .*ECONNREFUSED/ });
    const listing = new World("postgres", near).list({});
    await listen(port);
    try {
      assert.deepEqual(await listing, ["There are no migrations."]);
    } finally {
      server.close();
    }
  });

  test("a file waits for a lock only shortly, and lets others go first", async () => {
    const world = new World("postgres", (await databases.get("PostgreSQL")?.()) ?? "");
    await world.open({}, items);
    const [holder, reader] = [new Client(world.url), new Client(world.url)];
    await Promise.all([holder.connect(), reader.connect()]);
    try {
      await holder.query("BEGIN; LOCK TABLE items IN ACCESS SHARE MODE");
      await reader.query("SET statement_timeout = 2000");
      const opening = world.open({ "0001-price": addPrice }, priced);
      const waits =
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%price%' AND datname = current_database()";
      await eventually(async () => ((await reader.query(waits)).rowCount ?? 0) > 0, "a lock to be waited for");
      for (let read = 0; read < 20; read++) await reader.query("SELECT FROM items");
      await holder.query("COMMIT");
      assert.deepEqual(await opening, [{ name: "first", price: 5 }]);
    } finally {
      await Promise.all([holder.end(), reader.end()]);
    }
  });
});

test("a plan on SQLite makes no file", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "migrations-")), "data", "items.db");
  folders.push(join(path, "../.."));
  const world = new World("sqlite", `file:${path}`);
  assert.deepEqual(await world.list({ "0001-count": count }, true), ["0001-count  pending"]);
  assert.equal(existsSync(join(path, "..")), false);
});

test("on SQLite a table may be made again, but no row may refer to nothing afterwards", async () => {
  const world = new World("sqlite", (await databases.get("SQLite")?.()) ?? "");
  await world.open({}, items);
  await world.query('CREATE TABLE lines (item text REFERENCES "items" (id))');
  await world.query('INSERT INTO lines SELECT id FROM "items"');
  const again = "CREATE TABLE n AS SELECT * FROM lines; DROP TABLE lines; ALTER TABLE n RENAME TO lines;";
  await world.open({ "0001-again": again }, items);
  await world.query('CREATE TABLE others (item text REFERENCES "items" (id))');
  await world.query('INSERT INTO others SELECT id FROM "items"');
  const files = { "0001-again": again, "0002-lose": "UPDATE others SET item = 1" };
  await assert.rejects(
    world.open(files, items),
    /0002-lose\.sqlite\.sql: it leaves rows in "others" that refer to nothing/,
  );
});

test("statements are recognised by what is neither comment nor text", () => {
  const statements = (sql: string) => readStatements(sql);
  assert.deepEqual(statements("SELECT ';' ; -- ; \n /* ; /* ; */ ' */ COMMIT"), ["SELECT ''", "COMMIT"]);
  assert.deepEqual(statements("DO $$ BEGIN; COMMIT; END $$; SELECT $a$ ; $$ ; $a$, a$b, E'\\'; '"), [
    "DO ''",
    "SELECT '', a$b, ''",
  ]);
  assert.deepEqual(statements('ALTER TABLE "a;b"\n  DROP COLUMN "c"'), ['ALTER TABLE "a_b" DROP COLUMN "c"']);
  assert.deepEqual(statements("/* not ended"), []);
});

const toNumbers = (rows: object[]) => rows.map((row) => Number((row as { number: unknown }).number));

test("a migration that is not run is named in the log, unless a start makes what it adds", (t) => {
  const unique = (name: string) => `${addPrice}CREATE UNIQUE INDEX "${name}" ON "items" ("price");`;
  const trigger = 'CREATE TEMP TRIGGER refuse BEFORE UPDATE ON "items" BEGIN SELECT 1; END;';
  const lines: string[] = [];
  flushLog();
  logging.level = "warn";
  const stdout = t.mock.method(process.stdout, "write", (text: string) => lines.push(text) > 0);
  for (const [name, text] of Object.entries({ trigger, unique: unique("items_price"), own: unique("items_own") }))
    skip({ name, text } as Migration);
  flushLog();
  stdout.mock.restore();
  logging.level = "silent";
  assert.equal(JSON.parse(lines.join("")).migration, "own");
});

/** Runs `work` with the URL of a role that has no rights of its own. */
async function withRole(world: World, work: (url: string) => Promise<void>): Promise<void> {
  const name = `guest_${new URL(world.url).pathname.slice(1)}`;
  await world.query(`CREATE ROLE "${name}" LOGIN PASSWORD 'not-a-secret'`);
  try {
    await work(Object.assign(new URL(world.url), { username: name, password: "not-a-secret" }).href);
  } finally {
    await world.query(`DROP ROLE "${name}"`);
  }
}

/** A database, and releases with migrations that open it. */
class World {
  readonly kind: "sqlite" | "postgres";
  readonly url: string;

  /** What the last list said about connections. */
  limit: string | undefined;
  readonly #config: object;
  readonly #schema: string | undefined;

  constructor(
    kind: World["kind"],
    url: string,
    { schema, ...config }: { schema?: string; handlerTimeoutMs?: number } = {},
  ) {
    this.kind = kind;
    this.url = url;
    this.#config = { databaseUrl: url, handlerTimeoutMs: 10_000, ...config };
    this.#schema = schema;
  }

  /** Opens the database as a release would, adds an item if there is none, and returns all fields. */
  async open(
    files: Files,
    resource: typeof items,
    item: { name: string; price?: number } = { name: "first" },
    migrate = "on",
  ): Promise<object[]> {
    const store = this.#createStore(files, migrate);
    const table = store.table(resource);
    try {
      await store.open();
      if ((await table.count()) === 0) await table.create(item);
      const { items } = JSON.parse(await table.list({ limit: 20, cursor: undefined }));
      return items.map(({ id: _, createdAt: __, ...fields }: Record<string, unknown>) => fields);
    } finally {
      await store.close().catch(() => {});
    }
  }

  /** What `npm run migrate` prints. */
  async list(files: Files, isPlanOnly = false, resource = items): Promise<string[]> {
    const store = this.#createStore(files, "only");
    store.table(resource);
    const lines = await store.migrate(isPlanOnly);
    this.limit = lines.find((line) => line.startsWith("The server allows"));
    return lines
      .filter((line) => line !== this.limit)
      .map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:]{8}Z$/, "TIME"));
  }

  #createStore(files: Files, migrate: string) {
    const databasePlace = this.#schema && placeInSchema(this.#schema);
    const config = { ...this.#config, databasePlace, migrate, migrationsFolder: this.#write(files) };
    return createStore(config as Parameters<typeof createStore>[0]);
  }

  #write(files: Files): string {
    const folder = mkdtempSync(join(tmpdir(), "migrations-"));
    folders.push(folder);
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name.endsWith(".sql") ? name : `${name}.${this.kind}.sql`), text);
    return folder;
  }

  /** Another process that opens the database. */
  start(files: Files): Replica {
    const config = { ...this.#config, migrationsFolder: this.#write(files) };
    return new Replica(`
      const { createStore } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/core/store/open.ts"))});
      const { placeInSchema } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/core/store/schema.ts"))});
      const schema = ${JSON.stringify(this.#schema)};
      const databasePlace = schema && placeInSchema(schema);
      const store = createStore({ ...${JSON.stringify(config)}, databasePlace });
      store.table(${JSON.stringify("0003-price" in files || "0002-long" in files ? priced : items)});
      await store.open();
      await store.close();`);
  }

  async query(text: string): Promise<object[]> {
    if (this.kind === "sqlite") {
      using db = new DatabaseSync(fileURLToPath(this.url), { timeout: 10_000 });
      return db
        .prepare(text)
        .all()
        .map((row) => ({ ...row }));
    }
    const client = new Client(this.url);
    await client.connect();
    return (await client.query(text).finally(() => client.end())).rows;
  }

  async readRecord(): Promise<string[]> {
    const rows = await this.query("SELECT name FROM applied_migrations ORDER BY number").catch(() => []);
    return rows.map((row) => (row as { name: string }).name);
  }

  /** All tables and columns. */
  async describe(): Promise<string> {
    const text =
      this.kind === "sqlite"
        ? "SELECT sql FROM sqlite_schema"
        : "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'";
    return JSON.stringify(await this.query(text));
  }
}

class Replica {
  stderr = "";
  readonly process: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(script: string) {
    this.process = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.process.stderr?.on("data", (chunk) => (this.stderr += chunk));
    this.#closed = once(this.process, "close");
  }

  async exit(): Promise<number | null> {
    await this.#closed;
    return this.process.exitCode;
  }
}
