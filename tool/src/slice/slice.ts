import { dirname, join, normalize, relative } from "node:path/posix";
import { Fault } from "../fault.ts";
import { printItem } from "../print/item.ts";
import { features, type Request } from "../request.ts";
import { cut } from "./cut.ts";

/** Files by their path in the project. */
export type Files = Map<string, string>;

/** Where a walk through the backend begins: what runs, and what proves it. */
const entries = ["src/main.ts", "test/conformance.test.ts"];

/** Keeps of the backend what the request needs. What is kept, and from where, is all that is decided here. */
export function slice(backend: Files, request: Request): Files {
  const plan = planFor(request);
  const kept: Files = new Map();
  const open = [...entries, ...request.features.map((feature) => `test/${feature}.test.ts`)];
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

function planFor({ framework, database, features: asked }: Request): Plan {
  const others = ["sqlite", "postgres"].filter((kind) => database !== "both" && kind !== database);
  const gone = new Set(others.flatMap((kind) => [`src/store/${kind}.ts`, `test/support/${kind}.ts`]));
  const unasked = features.filter((feature) => !asked.includes(feature));
  const folders = [
    "src/frameworks/",
    ...unasked.flatMap((name) => [`src/features/${name}/`, `test/conformance/${name}/`]),
  ];
  return {
    instead: new Map([["src/app.ts", `src/frameworks/${framework}.ts`]]),
    redirected: new Map(others.length > 0 ? [["src/store/open.ts", `src/store/${database}.ts`]] : []),
    isGone: (path) => folders.some((folder) => path.startsWith(folder)) || gone.has(path),
  };
}

function textOf(path: string, backend: Files, plan: Plan, { fields }: Request): string {
  if (path === "src/item.ts") return printItem(fields);
  const origin = plan.instead.get(path) ?? path;
  const source = backend.get(origin);
  if (source === undefined) throw new Fault("slice_missing", `The backend has no file ${origin}.`);
  const moved = rewriteImports(source, (specifier) => respell(path, target(origin, specifier)));
  const isGone = (specifier: string) => specifier.startsWith(".") && plan.isGone(target(path, specifier));
  const trimmed = importsOf(path, moved).some(plan.isGone) ? cut(path, moved, isGone) : moved;
  return rewriteImports(trimmed, (specifier) => {
    const redirected = plan.redirected.get(target(path, specifier));
    return redirected ? respell(path, redirected) : specifier;
  });
}

/** The files that a file imports. */
function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(localImport)].map(([, , specifier = ""]) => target(path, specifier));
}

function rewriteImports(source: string, respelled: (specifier: string) => string): string {
  return source.replace(localImport, (_, before, specifier) => `${before}${respelled(specifier)}`);
}

/** An import or re-export of a file, in formatted code; to parse every file for these would take most of the time. */
const localImport = /^((?:import|export)\b[^;]*?\bfrom ")(\.[^"]+)/gm;

const target = (from: string, specifier: string) => normalize(join(dirname(from), specifier));
const respell = (from: string, path: string) => relative(dirname(from), path).replace(/^(?!\.)/, "./");
