import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Node, parse, visit } from "../src/new/slice/syntax.ts";
import { repository } from "./support.ts";

/** Folders and files of which the rules below hold. */
const kept = [
  "bench",
  "scripts",
  "tool/src/*.ts",
  "tool/src/commands",
  "tool/src/publish",
  "tool/src/usage",
  "tool/test/publish",
];

test("no name ends in Of: functions are verbs", () => {
  assert.deepEqual(findInFiles(kept, findNames), []);
});

test("no literal is spread: members are written out", () => {
  assert.deepEqual(findInFiles(kept, findSpreads), []);
});

test("such names and literals are found", () => {
  const names = `
    function sumOf(partsOf: number[]) {}
    const textOf = () => "", { sizeOf = 1 } = { sizeOf: 2 };
    class Table { #rowsOf() {} static kindOf = 1 }
    interface List { lastOf(): number; firstOf: string }`;
  const expected = ["sumOf", "partsOf", "textOf", "sizeOf", "rowsOf", "kindOf", "lastOf", "firstOf"];
  assert.deepEqual(findNames(parse("a.ts", names).program), expected);
  assert.deepEqual(findNames(parse("b.ts", 'import { listOf } from "./a.ts"; listOf([1].indexOf(1));').program), []);
  const spreads = 'f({ ...{ a }, b }, [...["c"], ...[d].map(e), ...(g ? ["h"] : [])])';
  assert.deepEqual(findSpreads(parse("c.ts", spreads).program), ["ObjectExpression", "ArrayExpression"]);
});

function findInFiles(places: string[], find: (program: Node) => string[]): string[] {
  const patterns = places.map((place) => (place.endsWith(".ts") ? place : `${place}/**/*.ts`));
  return globSync(patterns, { cwd: repository, exclude: ["**/dist"] }).flatMap((path) =>
    find(parse(path, readFileSync(join(repository, path), "utf8")).program).map((found) => `${path}: ${found}`),
  );
}

/** The names that a file declares: of functions and variables, parameters and members. */
function findNames(program: Node): string[] {
  const found = new Set<string>();
  visit(program, ({ id, key, params, parameters, left }) => {
    for (const node of [id, key, params, parameters, left].flat() as (Node | null | undefined)[])
      if (node?.type === "Identifier" && /[a-z]Of$/.test(String(node["name"]))) found.add(String(node["name"]));
  });
  return [...found];
}

function findSpreads(program: Node): string[] {
  const found: string[] = [];
  visit(program, ({ type, argument }) => {
    const { type: spread = "" } = (argument ?? {}) as Partial<Node>;
    if (type === "SpreadElement" && /^(Object|Array)Expression$/.test(spread)) found.push(spread);
  });
  return found;
}
