import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { Backend, refusal } from "../../kit/test/backend.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { create, listAll } from "../support/client.ts";

const newPostgresDatabase = await newPostgresDatabases();

const [anId, aMoment] = ["01a1dfb5-23f9-7600-89d4-567e85082e75", "2026-01-01T00:00:00.000Z"];

const databases = {
  SQLite: {
    newUrl: newSqliteFile,
    exec: async (url: string, sql: string) => new DatabaseSync(fileURLToPath(url)).exec(sql),
    own: `insert_order INTEGER PRIMARY KEY AUTOINCREMENT, id text NOT NULL UNIQUE, created_at text NOT NULL, idempotency_key text UNIQUE`,
  },
  PostgreSQL: {
    newUrl: newPostgresDatabase,
    exec: async (url: string, sql: string) => {
      const client = new Client(url);
      await client.connect();
      await client.query(sql);
      await client.end();
    },
    own: `insert_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL UNIQUE, created_at timestamptz NOT NULL, idempotency_key text UNIQUE`,
  },
};

for (const [kind, { newUrl, exec, own }] of Object.entries(databases))
  describe(`a table on ${kind} that was created for other fields`, { timeout: 60_000 }, () => {
    /** A database with such a table, and with an item of these values if `item` is set. */
    const older = async (fields: string, item?: string) => {
      const url = await newUrl();
      await exec(url, `CREATE TABLE items (${[own, fields].filter(Boolean)})`);
      if (item !== undefined)
        await exec(
          url,
          `INSERT INTO items (id, created_at${fields && `, ${fields.split(" ")[0]}`}) VALUES ('${anId}', '${aMoment}'${item})`,
        );
      return url;
    };

    test("gets a column for a required field while it has no items, also from concurrent replicas", async () => {
      const url = await older("");
      using replicas = new DisposableStack();
      const starting = Array.from({ length: 4 }, () => Backend.start({ DATABASE_URL: url }));
      for (const replica of await Promise.all(starting)) {
        replicas.use(replica);
        assert.equal((await create(replica.url, "new")).status, 201);
      }
    });

    test("keeps the values of a removed field that was optional", async () => {
      const url = await older('"price" bigint, "name" text NOT NULL DEFAULT \'old\'', ", 5");
      using backend = await Backend.start({ DATABASE_URL: url });
      assert.equal((await create(backend.url, "new")).status, 201);
      const names = (await listAll(backend.url)).map(({ id, createdAt, ...fields }) => fields);
      assert.deepEqual(names, [{ name: "new" }, { name: "old" }]);
      await exec(url, "ALTER TABLE items RENAME COLUMN price TO still_there");
    });

    const refused: [string, string, string | undefined, RegExp][] = [
      [
        "has items without a required field",
        "",
        "",
        /column "name" of "items" is missing, but the code says text NOT NULL; change/,
      ],
      [
        "has another type",
        '"name" bigint NOT NULL',
        undefined,
        /column "name" of "items" is bigint NOT NULL, but the code says text/,
      ],
      [
        "allows null in a required field",
        '"name" text',
        undefined,
        /column "name" of "items" is text, but the code says text NOT/,
      ],
      [
        "requires a field that was removed",
        '"name" text NOT NULL, "price" bigint NOT NULL',
        undefined,
        /column "price" of "items" is bigint NOT NULL, but the code says none; change one of them/,
      ],
    ];
    for (const [what, fields, item, expected] of refused)
      test(`is refused at startup, in one line, if it ${what}`, async () => {
        const { code, stdout, stderr } = await refusal({ DATABASE_URL: await older(fields, item) });
        assert.deepEqual([code, stdout, stderr.trimEnd().split("\n").length], [1, "", 1], stdout + stderr);
        assert.match(stderr, expected);
      });
  });
