import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { type Node, parse, visit } from "../src/new/slice/syntax.ts";
import { repository, temporaryFolder, writeOut } from "./support.ts";

const folders = ["backend", "tool", "scripts", "bench"];
const source = "backend/src/";

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
      ["src/f.tsx", 'import { G } from "./g.tsx";\nexport const F = () => <G>{"text"}</G>;\n'],
      ["src/g.tsx", 'import { F } from "./f.tsx";\nexport const G = () => <F />;\n'],
    ]),
    temporaryFolder(),
  );
  assert.deepEqual(findCircles(readImports(folder, ["src"])), [
    "src/a.ts → src/b.ts → src/c/c.ts → src/d.ts → src/a.ts",
    "src/e.ts → src/e.ts",
    "src/f.tsx → src/g.tsx → src/f.tsx",
  ]);
});

test("an import points to its own room or to one above it in ARCHITECTURE.md", () => {
  const rooms = readRooms();
  assert.ok(rooms.length > 5);
  const against = [...readImports(repository, [source])].flatMap(([path, imported]) =>
    imported.filter((one) => findRank(rooms, path) < findRank(rooms, one)).map((one) => `${path} → ${one}`),
  );
  assert.deepEqual(against, []);
});

test("no feature imports another, and no framework another", () => {
  const groupIn = (path: string) => /\/(features|frameworks)\/([\w-]+)\//.exec(path) ?? [];
  const against = [...readImports(repository, [source])].flatMap(([path, imported]) => {
    const [, kind, name] = groupIn(path);
    const isOther = (one: string) => kind !== undefined && groupIn(one)[1] === kind && groupIn(one)[2] !== name;
    return imported.filter(isOther).map((one) => `${path} → ${one}`);
  });
  assert.deepEqual(against, []);
});

for (const name of readdirSync(join(repository, source, "core/features")))
  test(`in the core, only the folder and the mounts of ${name} name it`, () => {
    const own = new RegExp(`^${source}core/(features/${name}/|frameworks/\\w+/${name}/|${mounts[name]})`);
    const others = globSync(`${source}core/**/*.ts`, { cwd: repository }).filter((path) => !own.test(path));
    // hapi has `server.auth`, `onPreAuth` and `onPostAuth`.
    const word = new RegExp(`(?<!server\\.|Pre |Post )\\b${name.replace(/s$/, "s?").replace("-", "[ -]?")}\\b`, "i");
    const naming = others.filter((path) => word.test(toWords(readFileSync(join(repository, path), "utf8"))));
    assert.deepEqual(naming, []);
  });

/** The files that connect a feature with a framework or with resources, if they are not in a folder of its name. */
const mounts: Record<string, string> = {
  auth: "frameworks/\\w+/public\\.ts",
  "reference-fields": "(resource|fields/ref)\\.ts",
  "unique-fields": "(resource|fields/unique)\\.ts",
};

/** Identifiers as words. */
const toWords = (text: string) => text.replace(/([a-z])(?=[A-Z])/g, "$1 ");

/** The rooms of `backend/src`, in the order in which ARCHITECTURE.md lists them. */
function readRooms(): string[][] {
  const [, list = ""] = /\n\n((?:\d+\. .*\n)+)/.exec(readFileSync(join(repository, "ARCHITECTURE.md"), "utf8")) ?? [];
  const lines = list.trimEnd().split("\n");
  return lines.map((line) => [...(line.split(": ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path));
}

/** The number of the room of a file. A room that names the file itself counts more than one that names its folder. */
function findRank(rooms: string[][], path: string): number {
  const place = path.slice(source.length);
  const exact = rooms.findIndex((room) => room.includes(place));
  const rank = exact < 0 ? rooms.findIndex((room) => room.some((one) => isBelow(place, one))) : exact;
  assert.ok(rank >= 0, `ARCHITECTURE.md has no room for ${path}`);
  return rank;
}

const isBelow = (path: string, room: string) => room.endsWith("/") && path.startsWith(room);

type Imports = Map<string, string[]>;

/** The files that each file imports. */
function readImports(root: string, folders: string[]): Imports {
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path);
  const paths = globSync(
    folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
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
