import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { type Node, parse, visit } from "../src/new/slice/syntax.ts";
import { repository, temporaryFolder, writeOut } from "./support.ts";

const folders = ["backend", "tool", "scripts", "bench"];

test("no circular imports, types included", () => {
  assert.deepEqual(findCircles(readImports(repository, folders)), []);
});

test("a circular import is found and named", () => {
  const folder = writeOut(
    new Map([
      ["src/a.ts", 'import { b } from "./b.ts";\nexport const a = b;\n'],
      ["src/b.ts", 'export * from "./c/c.ts";\n'],
      ["src/c/c.ts", 'export const load = () => import("../d.ts");\n'],
      ["src/d.ts", 'import type { a } from "./a.ts";\nexport const text = \'import "./b.ts"\';\n'],
      ["src/e.ts", 'import "./e.ts";\nimport "./a.ts";\n'],
    ]),
    temporaryFolder(),
  );
  assert.deepEqual(findCircles(readImports(folder, ["src"])), [
    "src/a.ts → src/b.ts → src/c/c.ts → src/d.ts → src/a.ts",
    "src/e.ts → src/e.ts",
  ]);
});

test("the core imports nothing of the owner's, and no framework outside its own folder", () => {
  const core = "backend/src/core/";
  const against = [...readImports(repository, [core])].flatMap(([path, imported]) => {
    const ofFramework = path.startsWith(`${core}frameworks/`) ? "/" : `${core}frameworks/`;
    return imported
      .filter((one) => !one.startsWith(core) || one.startsWith(ofFramework))
      .map((one) => `${path} → ${one}`);
  });
  assert.deepEqual(against, []);
});

type Imports = Map<string, string[]>;

/** The files that each file imports. */
function readImports(root: string, folders: string[]): Imports {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const paths = globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: root, exclude },
  ).sort();
  return new Map(paths.map((path) => [path, listImports(path, readFileSync(join(root, path), "utf8"))]));
}

function listImports(path: string, text: string): string[] {
  const specifiers: string[] = [];
  visit(parse(path, text).program, ({ type, source, argument, callee, arguments: given }) => {
    const [loaded] = (callee as Node | undefined)?.type === "Import" ? (given as Node[]) : [];
    const literal = (source ?? loaded ?? (type === "TSImportType" ? argument : undefined)) as Node | null | undefined;
    if (typeof literal?.["value"] === "string") specifiers.push(literal["value"]);
  });
  return specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => resolve("/", path, "..", specifier).slice(1));
}

/** Circular imports: at least one, if there are any. */
function findCircles(imports: Imports): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, way: string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
    if (done.has(path)) return;
    done.add(path);
    for (const imported of imports.get(path) ?? []) follow(imported, [...way, path]);
  };
  for (const path of imports.keys()) follow(path, []);
  return circles;
}
