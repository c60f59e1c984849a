import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { Client } from "pg";
import { everyDatabase } from "../../../backend/kit/test/databases.ts";
import { createStore } from "../../../backend/src/core/store/open.ts";
import { planMigrations, printMigrations } from "../../src/change/sql.ts";
import { buildResource } from "../../src/new/builders.ts";
import { parseFields } from "../../src/new/field.ts";
import type { Field } from "../../src/new/field-types.ts";
import { type RequestInput, readRequest } from "../../src/new/request.ts";

const databases = await everyDatabase();
const request = (input: RequestInput) => readRequest({ name: "my-api", framework: "koa", ...input });

/** Fields before and after, and an item before and after. */
const changes: [title: string, before: string[], after: string[], item: object, becomes: object][] = [
  ["a required field", ["a:string"], ["a:string", "b:enum(x|y)", "c:boolean"], { a: "1" }, { a: "1", b: "x", c: true }],
  [
    "a required list and number",
    ["a:string"],
    ["a:string", "b:string[]", "c:number(5..)"],
    { a: "" },
    { a: "", b: ["first"], c: 5 },
  ],
  ["a removed required field", ["a:string", "b:number"], ["a:string"], { a: "1", b: 2.5 }, { a: "1" }],
  ["a removed optional field", ["a:string", "b:number?"], ["a:string"], { a: "1", b: 2.5 }, { a: "1" }],
  ["a field that becomes optional", ["a:string"], ["a:string?"], { a: "1" }, { a: "1" }],
  [
    "a field that becomes required",
    ["a:string", "b:integer(3..)?"],
    ["a:string", "b:integer(3..)"],
    { a: "1" },
    { a: "1", b: 3 },
  ],
  ["a number of a text", ["a:string", "b:string"], ["a:string", "b:number?"], { a: "1", b: "2.5" }, { a: "1", b: 2.5 }],
  [
    "a list of a text",
    ["a:string", "b:string?"],
    ["a:string", "b:string[]?"],
    { a: "1", b: "x" },
    { a: "1", b: ["x"] },
  ],
];

for (const [name, newDatabase] of databases)
  describe(`the SQL for ${name} lets the new code start, and keeps the items:`, () => {
    for (const [title, before, after, item, becomes] of changes)
      test(title, async () => {
        const url = await newDatabase();
        await inStore(url, parseFields(before), (table) => table.create(item));
        const database = name === "SQLite" ? "sqlite" : "postgres";
        const migrations = planMigrations(request({ fields: before }), request({ fields: after, database }));
        const isDone = migrations.some(({ text }) => text.includes("stays, with its values"));
        if (!isDone)
          await assert.rejects(
            inStore(url, parseFields(after), async () => ""),
            /column "[ab c]+"/,
          );
        for (const { sql } of migrations) await execute(url, sql[database]?.join("\n") ?? "");
        const page = await inStore(url, parseFields(after), (table) => table.list({ limit: 9, cursor: undefined }));
        const { id: _, createdAt, ...kept } = JSON.parse(page).items[0];
        assert.deepEqual([kept, typeof createdAt], [becomes, "string"]);
      });
  });

async function inStore(url: string, fields: Field[], use: (table: Table) => Promise<string>): Promise<string> {
  const store = createStore({ databaseUrl: url, handlerTimeoutMs: 10_000 });
  const table = store.table(buildResource({ name: "items", fields }));
  try {
    await store.open();
    return await use(table);
  } finally {
    await store.close().catch(() => {});
  }
}

type Table = ReturnType<ReturnType<typeof createStore>["table"]>;

async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith("file:")) {
    const database = new DatabaseSync(url.slice(5));
    database.exec(sql);
    return database.close();
  }
  const client = new Client(url);
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe("the notes about a database", () => {
  test("are empty if the backend does it at startup, or nothing is to do", () => {
    const after = request({ fields: ["name:string(5..9)", "price:number?"], features: ["auth"], webhooks: ["github"] });
    assert.deepEqual(planMigrations(request({}), after), []);
  });

  test("say that the extra tables stay, when items lose their routes", () => {
    const resources = ["orders: note:string"];
    const before = request({ features: ["item-routes"], resources, database: "sqlite" });
    const lines = printMigrations(planMigrations(before, request({ features: ["item-routes"], database: "sqlite" })));
    assert.deepEqual(
      lines.filter((line) => line.includes("DROP")).map((line) => line.trim()),
      ["orders", "orders_keys", "orders_deleted"].map((table) => `DROP TABLE "${table}";`),
    );
    assert.deepEqual(planMigrations(request({ resources, database: "sqlite" }), before), []);
  });

  test("say that the data of webhooks and of another database stays", () => {
    const before = request({ webhooks: ["github"], database: "both" });
    const lines = printMigrations(planMigrations(before, request({ database: "postgres" })));
    assert.deepEqual(lines, [
      'The table "webhook_events" stays, with its data. To drop it, after the old code has stopped:',
      "  PostgreSQL:",
      '    DROP TABLE "webhook_events";',
      "Data in an SQLite file is not copied, and the new code does not read it.",
    ]);
  });
});
