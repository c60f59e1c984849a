import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { splitImports } from "../../src/change/imports.ts";
import type { RequestInput } from "../../src/new/request.ts";
import { type Node, parse } from "../../src/new/slice/syntax.ts";
import { made, Owner } from "./owner.ts";

const withComments = (text: string) => text.replaceAll(/^(import .*;|\} from .*;)$/gm, "$1 // ours");
const withoutSemicolons = (text: string) =>
  text.replaceAll(/^import .*$/gm, (line) => line.replaceAll('"', "'").replace(/;$/, ""));

/** What owners do to imports, and what they then add. */
const cases: [what: string, edit: (text: string) => string, path: string, args: string[], from: string, to: object][] =
  [
    [
      "have comments behind them",
      withComments,
      "src/routes.ts",
      ["resource", "boats: length:number"],
      "hono",
      { resources: ["boats: length:number"] },
    ],
    [
      "have comments behind them, of a module",
      withComments,
      "src/app-routes.module.ts",
      ["webhooks", "github"],
      "nest",
      { webhooks: ["github"] },
    ],
    [
      "have comments behind them, of the fields of a resource",
      withComments,
      "src/items/item.ts",
      ["field", "price:number?"],
      "hono",
      { fields: ["name:string(1..200)", "price:number?"] },
    ],
    [
      "are written with single quotes and without semicolons",
      withoutSemicolons,
      "src/items/routes.ts",
      ["item-routes"],
      "hono",
      { features: ["item-routes"] },
    ],
  ];

describe("a merge has all imports, once and on top, where those of the owner", () => {
  for (const [what, change, path, args, framework, to] of cases)
    test(what, async () => {
      const input = { framework } as RequestInput;
      const owner = await Owner.of(input);
      await owner.edit(path, change);
      assert.deepEqual((await owner.add(...args)).merged.conflict?.paths ?? [], []);
      const text = owner.read(path);
      const expected = made({ ...input, ...to }).get(path) ?? "";
      assert.deepEqual(listImports(text), listImports(expected));
      const types = (parse(path, text).program["body"] as Node[]).map(({ type }) => type);
      assert.ok(types.lastIndexOf("ImportDeclaration") < types.findIndex((type) => type !== "ImportDeclaration"));
      const mark = change === withComments ? /; \/\/ ours$/gm : /^import .*'$/gm;
      const before = splitImports(made(input).get(path) ?? "").imports;
      assert.equal(text.match(mark)?.length, before.length);
    });
});

test("comments between imports stay with their import", async () => {
  const owner = await Owner.of({ framework: "express" });
  const path = "src/routes.ts";
  let count = 0;
  await owner.edit(path, (text) => text.replaceAll(/^import .*\n/gm, (line) => `// ${++count}\n${line}`));
  const before = owner.read(path);
  assert.equal((await owner.add("resource", "boats: length:number")).merged.conflict, undefined);
  const text = owner.read(path);
  for (const [pair] of before.matchAll(/^\/\/ \d\nimport .*\n/gm)) assert.ok(text.includes(pair), text);
  assert.match(text, /^import \{ boatRoutes \} from "\.\/boats\/routes\.ts";$/m);
});

test("a comment of the owner on an import that Dory removes is a conflict", async () => {
  const owner = await Owner.of({ framework: "hono", features: ["item-routes"] });
  await owner.edit("src/items/routes.ts", withComments);
  assert.deepEqual((await owner.remove("item-routes")).merged.conflict?.paths, ["src/items/routes.ts"]);
});

test("code that the owner has not finished is an ordinary conflict", async () => {
  const owner = await Owner.of({ framework: "hono" });
  await owner.edit("src/routes.ts", (text) => withComments(`${text}\nfunction (\n`));
  assert.deepEqual((await owner.add("resource", "boats: length:number")).merged.conflict?.paths, ["src/routes.ts"]);
});

const listImports = (text: string) => splitImports(text).imports.map(({ key }) => key);
