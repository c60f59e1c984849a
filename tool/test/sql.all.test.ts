import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Kysely } from "kysely";
import { newPostgresDatabases } from "../../backend/kit/test/postgres.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { examples, expectSqlite } from "../src/new/print/guide/sql.ts";
import { providers } from "../src/new/print/guide/sql-nest.ts";
import { loadKit, project, run, writeOut } from "./support.ts";

const databases = { sqlite: newSqliteFile, postgres: await newPostgresDatabases() };

for (const [database, newDatabase] of Object.entries(databases))
  test(`the SQL in the README of a project on ${database} is checked, and works`, async () => {
    const { sql, kysely } = examples[database as keyof typeof databases];
    const files = project({ framework: "hono", database });
    for (const code of [sql, kysely]) assert.ok(files.get("README.md")?.includes(code.trimEnd()));
    const folder = writeOut(new Map([...files, ["src/visits/visits.ts", sql], ["src/visits/queries.ts", kysely]]));
    await run(folder, "biome", "check", "--error-on-warnings", "src/visits");
    await run(folder, "tsc");

    const { createStore } = await import(join(folder, `src/core/store/${database}.ts`));
    const { createVisits } = await import(join(folder, "src/visits/visits.ts"));
    const { createQueries } = await import(join(folder, "src/visits/queries.ts"));
    const { logging } = await import(join(folder, "src/core/log.ts"));
    logging.level = "silent";
    const store = createStore({ databaseUrl: await newDatabase(), handlerTimeoutMs: 10_000 });
    const visits = createVisits({ store });
    const queries: Kysely<{ visits: { page: string; count: number } }> = createQueries({ store });
    await store.open();
    try {
      await Promise.all(["/a", "/b", "/a"].map(visits.add));
      const expected = [
        { page: "/a", count: 2 },
        { page: "/b", count: 1 },
      ];
      assert.deepEqual(plain(await visits.list()), expected);
      assert.deepEqual(plain(await queries.selectFrom("visits").selectAll().orderBy("page").execute()), expected);
      const failing = queries.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("visits").execute();
        throw new Error("as the test says");
      });
      await assert.rejects(failing, /as the test says/);
      await queries
        .transaction()
        .execute((transaction) => transaction.deleteFrom("visits").where("page", "=", "/b").execute());
      assert.deepEqual(plain(await visits.list()), expected.slice(0, 1));
    } finally {
      await store.close();
    }
  });

for (const framework of ["hono", "nest"])
  test(`the SQL in the README of a project on both databases is checked in ${framework}`, async () => {
    const files = project({ framework, database: "both" });
    const { sql, kysely } = examples.sqlite;
    const codes = [framework === "nest" ? providers.sqlite : sql, kysely].map(expectSqlite);
    for (const code of codes) assert.ok(files.get("README.md")?.includes(code.trimEnd()), code);
    const added = codes.map((code, index): [string, string] => [`src/visits/example-${index}.ts`, code]);
    const folder = writeOut(new Map([...files, ...added]));
    await run(folder, "biome", "check", "--error-on-warnings", "src/visits");
    await run(folder, "tsc");
  });

for (const [database, newDatabase] of Object.entries(databases))
  test(`the provider in the README of a Nest project on ${database} is checked, and works`, async () => {
    const files = project({ framework: "nest", database });
    const sql = providers[database as keyof typeof databases];
    assert.ok(files.get("README.md")?.includes(sql.trimEnd()));
    const path = "src/visits/visits.service.ts";
    const folder = writeOut(new Map([...files, [path, sql], ["test/visits.ts", useProvider(database)]]));
    await run(folder, "biome", "check", "--error-on-warnings", path);
    await run(folder, "tsc");
    const printed = await run(
      folder,
      "node",
      ...(await loadKit(folder)).loadingFlags,
      "test/visits.ts",
      await newDatabase(),
    );
    assert.deepEqual(JSON.parse(printed), [
      { page: "/a", count: 2 },
      { page: "/b", count: 1 },
    ]);
  });

/** Prints what the provider lists after three visits. */
const useProvider = (database: string) => `import "reflect-metadata";
import type { Parts } from "../src/config.ts";
import { logging } from "../src/core/log.ts";
import { createStore } from "../src/core/store/${database}.ts";
import { VisitsService } from "../src/visits/visits.service.ts";

logging.level = "silent";
const store = createStore({ databaseUrl: process.argv[2] ?? "", handlerTimeoutMs: 10_000 } as never);
const visits = new VisitsService({ store } as Parts);
await store.open();
await Promise.all(["/a", "/b", "/a"].map((page) => visits.add(page)));
console.log(JSON.stringify(await visits.list()));
await store.close();
`;

/** Rows of SQLite have no prototype. */
const plain = (rows: object[]) => rows.map((row) => ({ ...row }));
