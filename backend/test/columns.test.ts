import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineColumn, findNewColumns, sqliteTypes, toTableColumns } from "../src/core/store/store.ts";

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

  test("is added if rows can be without it, or have its default", () => {
    const columns = toTableColumns(
      {
        a: { type: "text", isRequired: false },
        b: { type: "text", isRequired: true, default: "" },
        c: { type: "text", isRequired: true },
      },
      sqliteTypes,
    );
    assert.deepEqual(findNewColumns("items", columns, [], false), columns);
    assert.throws(() => findNewColumns("items", columns, [], true), /column "c" of "items" is missing/);
    assert.deepEqual(findNewColumns("items", columns, [["c", "text", 1]], true), columns.slice(0, 2));
  });
});
