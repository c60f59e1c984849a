import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Node, parse, visit } from "../src/new/slice/syntax.ts";
import { repository } from "./support.ts";

const folders = ["backend", "bench", "scripts", "tool"];

/** The keywords of JSON Schema are names of their own. */
const keywords = ["allOf", "anyOf", "multipleOf", "oneOf"];

test("no name ends in Of: functions are verbs", () => {
  assert.deepEqual(findInFiles(findNames, /\b(?!(?:lastI|i)ndexOf\b)\w+Of\b/), []);
});

test("no literal is spread: members are written out", () => {
  assert.deepEqual(findInFiles(findSpreads, /\.\.\.\s*[([{]/), []);
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
  const jsx = "const rowsOf = () => <p title={textOf}>{[1].map((partOf) => <b>{partOf}</b>)}</p>;";
  assert.deepEqual(findNames(parse("d.tsx", jsx).program), ["rowsOf", "partOf"]);
  const spreads = 'f({ ...{ a }, b }, [...["c"], ...[d].map(e), ...(g ? ["h"] : [])])';
  assert.deepEqual(findSpreads(parse("c.ts", spreads).program), ["ObjectExpression", "ArrayExpression"]);
  assert.deepEqual(findSpreads(parse("e.tsx", "<p {...{ a }} {...b} />").program), ["ObjectExpression"]);
});

/** Of Node 21 and later. */
const newer =
  /\b(?:Map|Object)\.groupBy\b|\.getOrInsert|\bPromise\.(?:withResolvers|try)\b|\bArray\.fromAsync\b|\bglobSync\b|\bRegExp\.escape\b|\bError\.isError\b|\brandomUUIDv7\b|\bimport\.meta\.main\b|\.(?:toBase64|toHex|difference|intersection|isSubsetOf|union)\(|\.(?:values|keys|entries)\(\)\.(?:map|filter|some|every|find|toArray|reduce|flatMap|take|drop|forEach)\(/g;

test("the tool uses nothing that Node 20 lacks, also in what it shares with the backend", () => {
  const names = globSync("*.js", { cwd: dist }).filter((name) => !ofNode26.includes(name));
  assert.ok(names.includes("dory.js"));
  assert.deepEqual(
    names.flatMap((name) => findNewer(readFileSync(join(dist, name), "utf8"))),
    [],
  );
  const bundle = "// src/a.ts\nMap.groupBy(a, b);\n// ../node_modules/b/c.js\nnew Map().values().map(c)\n// src/d.ts\n";
  assert.deepEqual(findNewer(`${bundle}RegExp.escape(e);`), ["src/a.ts: Map.groupBy", "src/d.ts: RegExp.escape"]);
});

const dist = join(repository, "tool/dist");

/** These run in projects, and in the image of Node 26. */
const ofNode26 = ["kit.js", "suite.js"];

/** Looks through our own modules in a bundle, of which each begins with its path. Packages say themselves which Node they need. */
function findNewer(bundle: string): string[] {
  const [, ...parts] = bundle.split(/^\/\/ (\S+\.[cm]?[jt]sx?)$/m);
  const found: string[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [path = "", code = ""] = parts.slice(at);
    if (!path.includes("node_modules/")) found.push(...(code.match(newer) ?? []).map((name) => `${path}: ${name}`));
  }
  return found;
}

/** Parsing takes time: only what may have something to find is parsed. */
function findInFiles(find: (program: Node) => string[], hint: RegExp): string[] {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const patterns = folders.map((folder) => `${folder}/**/*.{ts,tsx}`);
  const paths = globSync(patterns, { cwd: repository, exclude }).sort();
  return paths.flatMap((path) => {
    const text = readFileSync(join(repository, path), "utf8");
    return hint.test(text) ? find(parse(path, text).program).map((found) => `${path}: ${found}`) : [];
  });
}

/** The names that a file declares: of functions and variables, parameters and members. */
function findNames(program: Node): string[] {
  const found = new Set<string>();
  visit(program, ({ id, key, params, parameters, left }) => {
    for (const node of [id, key, params, parameters, left].flat() as (Node | null | undefined)[]) {
      const name = node?.type === "Identifier" ? String(node["name"]) : "";
      if (/[a-z]Of$/.test(name) && !keywords.includes(name)) found.add(name);
    }
  });
  return [...found];
}

function findSpreads(program: Node): string[] {
  const found: string[] = [];
  visit(program, ({ type, argument }) => {
    const { type: spread = "" } = (argument ?? {}) as Partial<Node>;
    if (/^(JSXSpreadAttribute|SpreadElement)$/.test(type) && /^(Object|Array)Expression$/.test(spread))
      found.push(spread);
  });
  return found;
}
