import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { everyDatabase } from "../../../backend/kit/test/databases.ts";
import { uniqueFields } from "../../../backend/src/core/features/unique-fields/feature.ts";
import { logging } from "../../../backend/src/core/log.ts";
import { readStatements } from "../../../backend/src/core/store/migrations.ts";
import { createStore } from "../../../backend/src/core/store/open.ts";
import { groupMigrations, listLostDatabases, planMigrations, printMigrationFile } from "../../src/change/sql.ts";
import { buildResource } from "../../src/new/builders.ts";
import { parseFields } from "../../src/new/field.ts";
import type { Field } from "../../src/new/field-types.ts";
import { type RequestInput, readRequest } from "../../src/new/request.ts";
import { temporaryFolder } from "../support.ts";

logging.level = "silent";
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
  ["a removed unique field", ["a:string", "b:string(1..50) unique"], ["a:string"], { a: "1", b: "2" }, { a: "1" }],
  ["a removed field with a default", ["a:string", "b:number=1"], ["a:string"], { a: "1", b: 2 }, { a: "1" }],
  ["a removed optional field", ["a:string", "b:number?"], ["a:string"], { a: "1", b: 2.5 }, { a: "1" }],
  ["a field that becomes optional", ["a:string"], ["a:string?"], { a: "1" }, { a: "1" }],
  [
    "a field that becomes required",
    ["a:string", "b:integer(3..)?"],
    ["a:string", "b:integer(3..)"],
    { a: "1" },
    { a: "1", b: 3 },
  ],
  [
    "a field that becomes required, and another type",
    ["a:string", "b:boolean?", "c:number?"],
    ["a:string", "b:string", "c:number"],
    { a: "1", c: 2 },
    { a: "1", b: "First item", c: 2 },
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
        if (migrations.some(({ isLeftToOwner }) => !isLeftToOwner))
          await assert.rejects(
            inStore(url, parseFields(after), async () => ""),
            /column "[ab c]+"/,
          );
        const folder = temporaryFolder();
        for (const [index, group] of groupMigrations(migrations).entries())
          writeFileSync(
            join(folder, `000${index + 1}-change.${database}.sql`),
            printMigrationFile(group, database) ?? "",
          );
        const list = (table: Table) => table.list({ limit: 9, cursor: undefined });
        const page = await inStore(url, parseFields(after), list, folder);
        const { id: _, createdAt, ...kept } = JSON.parse(page).items[0];
        assert.deepEqual([kept, typeof createdAt], [becomes, "string"]);
      });
  });

async function inStore(
  url: string,
  fields: Field[],
  use: (table: Table) => Promise<string>,
  migrationsFolder = temporaryFolder(),
): Promise<string> {
  const store = createStore({ databaseUrl: url, handlerTimeoutMs: 10_000, migrationsFolder }, [uniqueFields]);
  const table = store.table(buildResource({ name: "items", fields }));
  try {
    await store.open();
    return await use(table);
  } finally {
    await store.close().catch(() => {});
  }
}

type Table = ReturnType<ReturnType<typeof createStore>["table"]>;

describe("the migration of a change", () => {
  test("is none if the backend does it at startup, or nothing is to do", () => {
    const after = request({ fields: ["name:string(5..9)", "price:number?"], features: ["auth"], webhooks: ["github"] });
    assert.deepEqual(planMigrations(request({}), after), []);
    assert.equal(printMigrationFile([], "sqlite"), undefined);
  });

  test("has the SQL that loses data only as a comment", () => {
    const resources = ["orders: note:string"];
    const before = request({ features: ["item-routes"], resources, database: "sqlite" });
    const migrations = planMigrations(before, request({ features: ["item-routes"], database: "sqlite" }));
    const file = printMigrationFile(migrations, "sqlite") ?? "";
    assert.deepEqual(
      file.split("\n").filter((line) => line.includes("DROP")),
      ["orders", "orders_keys", "orders_deleted"].map((table) => `-- DROP TABLE "${table}";`),
    );
    assert.deepEqual(readStatements(file), []);
    assert.deepEqual(planMigrations(request({ resources, database: "sqlite" }), before), []);
  });

  test("drops indexes of SQLite with their column", () => {
    const fields = ["name:string", "key:uuid unique", "order:ref(orders)"];
    const resources = ["orders: note:string"];
    const migrations = planMigrations(request({ fields, resources }), request({ fields: ["name:string"], resources }));
    assert.match(
      printMigrationFile(migrations, "sqlite") ?? "",
      /\nDROP INDEX IF EXISTS "items_key";\n(.*\n)+DROP INDEX IF EXISTS "items_order_reference";/,
    );
    assert.doesNotMatch(printMigrationFile(migrations, "postgres") ?? "", /DROP INDEX/);
  });
});

test("data of another database is said to stay", () => {
  const before = request({ webhooks: ["github"], database: "both" });
  assert.deepEqual(listLostDatabases(before, request({ database: "postgres" })), [
    "Data in an SQLite file is not copied, and the new code does not read it.",
  ]);
});
