import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { modernise } from "../../src/change/outdated.ts";

describe("in a file of a project of 0.1.0", () => {
  const columns: [sql: string, column: string][] = [
    ["text NOT NULL", '{ type: "text", isRequired: true }'],
    ["double precision", '{ type: "number", isRequired: false }'],
    ["bigint NOT NULL DEFAULT -5", '{ type: "integer", isRequired: true, default: -5 }'],
    ["boolean NOT NULL DEFAULT true", '{ type: "boolean", isRequired: true, default: true }'],
    ["text NOT NULL DEFAULT 'it''s'", `{ type: "text", isRequired: true, default: "it's" }`],
    ["text NOT NULL DEFAULT ''", `{ type: "text", isRequired: true, default: "" }`],
    ["json NOT NULL DEFAULT '[1]'", '{ type: "json", isRequired: true, default: [1] }'],
    [String.raw`json NOT NULL DEFAULT '[\"a\"]'`, '{ type: "json", isRequired: true, default: ["a"] }'],
    ["uuid NOT NULL", '{ type: "id", isRequired: true }'],
    ["timestamptz", '{ type: "timestamptz", isRequired: false }'],
    ["timestamptz NOT NULL DEFAULT now()", '"timestamptz NOT NULL DEFAULT now()"'],
  ];
  const resource = (column: string) =>
    `import { exactly, type Resource } from "../core/resource.ts";\nconst boats: Resource = { columns: { size: ${column} } };\n`;
  for (const [sql, column] of columns)
    test(`the column "${sql}" is data`, () => {
      assert.equal(modernise("", resource(`"${sql}"`)), resource(column));
      assert.equal(modernise("", resource(column)), resource(column));
    });

  test("columns of something else stay", () => {
    const text = 'import { grid } from "./grid.ts";\ngrid({ columns: { size: "text NOT NULL" } });\n';
    assert.equal(modernise(text, text), text);
  });

  test("names that have changed are imported under the old one, once", () => {
    const old = 'import { editorOf, found as f } from "../core/features/item-routes/editor.ts";\n';
    const now = old.replace("editorOf", "createEditor as editorOf");
    assert.equal(modernise(old, old), now);
    assert.equal(modernise(now, now), now);
    const aliased = 'import { editorOf as edit } from "../core/features/item-routes/editor.ts";\n';
    assert.equal(modernise(aliased, aliased), aliased.replace("editorOf", "createEditor"));
    const other = 'import { editorOf } from "./editor.ts";\n';
    assert.equal(modernise(other, other), other);
  });

  test("a type that is two now is declared", () => {
    const old = `import {
  type EditorAnswer,
  createEditor,
} from "../core/features/item-routes/editor.ts";
import { other } from "./other.ts";

const answer: EditorAnswer = other;
`;
    const now = old
      .replace("type EditorAnswer", "type ReadAnswer, type RemovedAnswer")
      .replace('other.ts";\n', (line) => `${line}\ntype EditorAnswer = ReadAnswer | RemovedAnswer;\n`);
    assert.equal(modernise(old, old), now);
    assert.equal(modernise(now, now), now);
  });

  test("h3's invalid is a member of options", () => {
    const old = `import { invalid } from "../core/h3/connect.ts";
await readValidatedBody(event, NewBoat, invalid);
defineValidatedHandler({ validate: { body, ...invalid }, handler });
`;
    const now = `import { refuse as invalid } from "../core/h3/connect.ts";
await readValidatedBody(event, NewBoat, { onError: invalid });
defineValidatedHandler({ validate: { body, onError: invalid }, handler });
`;
    assert.equal(modernise(old, old), now);
    assert.equal(modernise(now, now), now);
  });

  test("Hono's valid names what it validates, in a file that follows the move", () => {
    const before =
      'import { nodeRequest, valid } from "../body.ts";\npost("/", valid(NewBoat), c => c.req.valid("json"));\n';
    const moved = before.replace("../body.ts", "../core/hono/connect.ts");
    const now = moved
      .replace(", valid }", ", sValidator as valid }")
      .replace("valid(NewBoat)", 'valid("json", NewBoat)');
    assert.equal(modernise(before, moved), now);
    assert.equal(modernise(now, now), now);
  });
});
