import { dirname, join, normalize, relative } from "node:path/posix";
import { Fault } from "../fault.ts";
import { printItem } from "../print/item.ts";
import type { Request } from "../request.ts";
import { cut, specifierOf } from "./cut.ts";
import { type Node, parse } from "./syntax.ts";

/** Files by their path in the project. */
export type Files = Map<string, string>;

/** Where a walk through the backend begins: what runs, and what proves it. */
const entries = ["src/main.ts", "test/conformance.test.ts"];

/** Keeps of the backend what the request needs. What is kept, and from where, is all that is decided here. */
export function slice(backend: Files, request: Request): Files {
  const plan = planFor(request);
  const kept: Files = new Map();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (kept.has(path)) continue;
    const text = textOf(path, backend, plan, request);
    kept.set(path, text);
    open.push(...importsOf(path, text).filter((imported) => imported.endsWith(".ts")));
  }
  return new Map([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Plan {
  /** Files that take another's place. */
  instead: Map<string, string>;
  /** Files that are imported in another's place. */
  redirected: Map<string, string>;
  isGone(path: string): boolean;
}

function planFor({ framework, database }: Request): Plan {
  const others = ["sqlite", "postgres"].filter((kind) => database !== "both" && kind !== database);
  const gone = new Set(others.flatMap((kind) => [`src/store/${kind}.ts`, `test/support/${kind}.ts`]));
  return {
    instead: new Map([["src/app.ts", `src/frameworks/${framework}.ts`]]),
    redirected: new Map(others.length > 0 ? [["src/store/open.ts", `src/store/${database}.ts`]] : []),
    isGone: (path) => path.startsWith("src/frameworks/") || gone.has(path),
  };
}

function textOf(path: string, backend: Files, plan: Plan, { fields }: Request): string {
  if (path === "src/item.ts") return printItem(fields);
  const origin = plan.instead.get(path) ?? path;
  const source = backend.get(origin);
  if (source === undefined) throw new Fault("slice_missing", `The backend has no file ${origin}.`);
  const moved = rewriteImports(path, source, (specifier) => respell(path, target(origin, specifier)));
  const trimmed = cut(path, moved, (specifier) => isLocal(specifier) && plan.isGone(target(path, specifier)));
  return rewriteImports(path, trimmed, (specifier) => {
    const redirected = plan.redirected.get(target(path, specifier));
    return redirected ? respell(path, redirected) : specifier;
  });
}

/** The files that a file imports. */
function importsOf(path: string, text: string): string[] {
  return specifiersIn(path, text).map(({ value }) => target(path, value));
}

function rewriteImports(path: string, source: string, respelled: (specifier: string) => string): string {
  let text = source;
  for (const { value, start, end } of specifiersIn(path, source).reverse())
    text = `${text.slice(0, start + 1)}${respelled(value)}${text.slice(end - 1)}`;
  return text;
}

function specifiersIn(path: string, source: string): { value: string; start: number; end: number }[] {
  const statements = parse(path, source).program["body"] as Node[];
  return statements
    .filter((statement) => isLocal(specifierOf(statement)))
    .map((statement) => statement["source"] as unknown as { value: string; start: number; end: number });
}

const isLocal = (specifier: string) => specifier.startsWith(".");
const target = (from: string, specifier: string) => normalize(join(dirname(from), specifier));
const respell = (from: string, path: string) => relative(dirname(from), path).replace(/^(?!\.)/, "./");
