import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineColumn, findNewColumns, readColumn, sqliteTypes, toTableColumns } from "../src/core/store/store.ts";

describe("a column", () => {
  test("is defined in the types of a database, with its default", () => {
    const columns = toTableColumns(
      {
        name: { type: "text", isRequired: true },
        price: { type: "number", isRequired: false },
        note: { type: "text", isRequired: true, default: "it's" },
        live: { type: "boolean", isRequired: true, default: false },
        tags: { type: "json", isRequired: true, default: ["a"] },
      },
      sqliteTypes,
    );
    assert.deepEqual(columns.map(defineColumn), [
      '"name" text NOT NULL',
      '"price" numeric',
      `"note" text NOT NULL DEFAULT 'it''s'`,
      '"live" boolean NOT NULL DEFAULT false',
      `"tags" json NOT NULL DEFAULT '["a"]'`,
    ]);
  });

  const written: [sql: string, column: object][] = [
    ["text NOT NULL", { type: "text", isRequired: true, default: undefined }],
    ["double precision", { type: "number", isRequired: false, default: undefined }],
    ["bigint NOT NULL DEFAULT -5", { type: "integer", isRequired: true, default: -5 }],
    ["boolean NOT NULL DEFAULT true", { type: "boolean", isRequired: true, default: true }],
    ["text NOT NULL DEFAULT 'it''s'", { type: "text", isRequired: true, default: "it's" }],
    ["json NOT NULL DEFAULT '[]'", { type: "json", isRequired: true, default: "[]" }],
    ["uuid NOT NULL", { type: "id", isRequired: true, default: undefined }],
    ["timestamptz NOT NULL DEFAULT now()", { type: "timestamptz", isRequired: true, default: undefined }],
  ];
  for (const [sql, column] of written)
    test(`is read from "${sql}", as resources of 0.1.0 have it`, () => assert.deepEqual(readColumn(sql), column));

  test("is added if rows can be without it, or have its default", () => {
    const columns = toTableColumns({ a: "text", b: "text NOT NULL DEFAULT ''", c: "text NOT NULL" }, sqliteTypes);
    assert.deepEqual(findNewColumns("items", columns, [], false), columns);
    assert.throws(() => findNewColumns("items", columns, [], true), /column "c" of "items" is missing/);
    assert.deepEqual(findNewColumns("items", columns, [["c", "text", 1]], true), columns.slice(0, 2));
  });
});
