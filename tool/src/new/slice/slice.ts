import { dirname, join, normalize, relative } from "node:path/posix";
import { Fault } from "../../fault.ts";
import { printItem } from "../print/item.ts";
import { features, type Request } from "../request.ts";
import { cut } from "./cut.ts";

/** Files by their path in the project. */
export type Files = Map<string, string>;

/** Where a walk through the backend begins: what runs, what bundles it, and its tests. */
const entries = [
  "src/main.ts",
  "build.ts",
  "openapi/main.ts",
  "test/conformance.test.ts",
  "test/app.test.ts",
  "test/openapi.test.ts",
];

/** Keeps the part of the backend that the request needs. This file decides only what is kept and where it comes from. */
export function slice(backend: Files, request: Request): Files {
  const plan = planFor(backend, request);
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

/** Only NestJS has decorators. They are compiled before they are bundled. */
export const hasDecorators = (framework: Request["framework"]) => framework === "nest";

interface Plan {
  /** Where a file of the project is in the backend. */
  originOf(path: string): string;
  /** Where a file of the backend is in the project. */
  placeOf(path: string): string;
  /** Files that are imported instead of others. */
  redirected: Map<string, string>;
  isGone(path: string): boolean;
}

function planFor(backend: Files, { framework, database, features: asked }: Request): Plan {
  const others = ["sqlite", "postgres"].filter((kind) => database !== "both" && kind !== database);
  const gone = new Set(others.flatMap((kind) => [`src/store/${kind}.ts`, `test/support/${kind}.ts`]));
  if (!asked.includes("auth")) gone.add("src/public.ts");
  if (!hasDecorators(framework)) gone.add("compile.ts");
  const unasked = features.filter((feature) => !asked.includes(feature));
  const folders = [
    "src/frameworks/",
    ...unasked.flatMap((name) => [`src/features/${name}/`, `openapi/features/${name}.ts`, `test/conformance/${name}/`]),
  ];
  // A framework's folder is laid over `src`.
  const own = `src/frameworks/${framework}/`;
  const inFramework = (path: string) => path.replace(/^src\//, own);
  return {
    originOf: (path) => (backend.has(inFramework(path)) ? inFramework(path) : path),
    placeOf: (path) => (path.startsWith(own) ? path.replace(own, "src/") : path),
    redirected: new Map(others.length > 0 ? [["src/store/open.ts", `src/store/${database}.ts`]] : []),
    isGone: (path) => folders.some((folder) => path.startsWith(folder)) || gone.has(path),
  };
}

function textOf(path: string, backend: Files, plan: Plan, { fields }: Request): string {
  if (path === "src/items/item.ts") return printItem(fields);
  const origin = plan.originOf(path);
  const source = backend.get(origin);
  if (source === undefined) throw new Fault("slice_missing", `The backend has no file ${origin}.`);
  const moved = rewriteImports(source, (specifier) => respell(path, plan.placeOf(target(origin, specifier))));
  const isGone = (specifier: string) => specifier.startsWith(".") && plan.isGone(target(path, specifier));
  const trimmed = importsOf(path, moved).some(plan.isGone) ? cut(path, moved, isGone) : moved;
  const text = rewriteImports(trimmed, (specifier) => {
    const redirected = plan.redirected.get(target(path, specifier));
    return redirected ? respell(path, redirected) : specifier;
  });
  return origin === path ? text : sortImports(text);
}

/** The imports of a moved file have other paths; the formatter wants them sorted, the farthest first. */
function sortImports(text: string): string {
  const block = /(?:^import [^;]*? from "\.[^"]+";\n)+/m.exec(text)?.[0] ?? "";
  const statements = block.match(/^import [^;]*? from "\.[^"]+";\n/gm) ?? [];
  const keyOf = (statement: string) => / from "(.+)";/.exec(statement)?.[1] ?? "";
  const distance = (specifier: string) => specifier.split("../").length;
  const inOrder = statements.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return distance(b) - distance(a) || (a < b ? -1 : 1);
  });
  return text.replace(block, () => inOrder.join(""));
}

/** The files that a file imports. */
function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(localImport)].map(([, , specifier = ""]) => target(path, specifier));
}

function rewriteImports(source: string, respelled: (specifier: string) => string): string {
  return source.replace(localImport, (_, before, specifier) => `${before}${respelled(specifier)}`);
}

/** An import or re-export of a file, in formatted code. Parsing every file for these would take most of the time. */
const localImport = /^((?:import|export)\b[^;]*?\bfrom ")(\.[^"]+)/gm;

const target = (from: string, specifier: string) => normalize(join(dirname(from), specifier));
const respell = (from: string, path: string) => relative(dirname(from), path).replace(/^(?!\.)/, "./");
