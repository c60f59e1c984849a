import { Fault } from "../../fault.ts";
import { toNames } from "../names.ts";
import { printResource } from "../print/resource.ts";
import { inOrder } from "../references.ts";
import { features, type Request, sources } from "../request.ts";
import type { Resource } from "../resource.ts";
import { hasSchema } from "../settings.ts";
import { copyFile, findOriginal, repeatMounts } from "./copy.ts";
import { cut, cutBareImports, cutExports } from "./cut.ts";
import { listImported, listImports, respell, rewriteImports, sortImports, target } from "./imports.ts";
import { remember } from "./remember.ts";

/** Files by their path in the project. */
export type Files = Map<string, string>;

/** The entry points of a backend: the program, its tools, and its tests. */
const entries = ["src/main.ts", "dory.ts", "test/contract.test.ts", "test/app.test.ts"];

/** Keeps the part of the backend that the request needs. `docs` may name what the core offers to owners. */
export function slice(backend: Files, request: Request, docs = ""): Files {
  const plan = createPlan(backend, request);
  const resources = inOrder([{ name: "items", fields: request.fields }, ...request.resources]).map(withNames);
  const files = reach(request, (path) => makeText(path, backend, plan, resources));
  const examples = (docs.match(codeInText) ?? []).join("\n");
  // A member of an object may have the same name.
  const documented = new Set(examples.match(/\b\w+\b(?!\??:)/g));
  for (;;) {
    const trimmed = withoutUnused(files, documented);
    if (trimmed.size === 0) return files;
    for (const [path, text] of trimmed) files.set(path, text);
    const reached = reach(request, (path) => files.get(path) ?? "");
    for (const path of files.keys()) if (!reached.has(path)) files.delete(path);
  }
}

/** Follows the imports from the entries. */
function reach(request: Request, read: (path: string) => string): Files {
  const kept: Files = new Map();
  const open = [...entries];
  if (request.features.includes("webhooks")) open.push("src/core/features/webhooks/command.ts");
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (kept.has(path)) continue;
    const text = read(path);
    kept.set(path, text);
    open.push(...listImported(path, text).filter((imported) => imported.endsWith(".ts")));
  }
  return new Map([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Code in Markdown: what it says in words names nothing. */
const codeInText = /```[\s\S]*?```|`[^`\n]+`/g;

/** The files of the core that export what neither a file nor an example in the documentation names, without it. */
function withoutUnused(files: Files, documented: ReadonlySet<string>): Files {
  const imported = findImportedNames(files);
  const trimmed: Files = new Map();
  for (const [path, text] of files) {
    const used = imported.get(path) ?? new Set();
    if (!path.startsWith("src/core/") || used.has("*")) continue;
    const isUnused = (name: string) => !used.has(name) && !documented.has(name);
    const unused = findExports(text).filter(({ name }) => isUnused(name));
    // Parsing takes time, so a file is parsed only if it seems to be needed.
    if (unused.every(({ isMentioned }) => isMentioned)) continue;
    const left = cutUnused(
      path,
      text,
      unused.map(({ name }) => name),
    );
    if (left !== text) trimmed.set(path, left);
  }
  return trimmed;
}

function cutUnused(path: string, text: string, names: string[]): string {
  const known = findTrimmed(text);
  const key = [path, ...names].join(" ");
  const found = known.get(key) ?? cutExports(path, text, (name) => names.includes(name));
  known.set(key, found);
  return found;
}

/** A text without some of its exports, by their names. */
const findTrimmed = remember(() => new Map<string, string>());

/** By file, the names that others import from it; `*` stands for all of them. */
function findImportedNames(files: Files): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>();
  for (const [path, text] of files)
    for (const [file, found] of listImports(path, text)) {
      const names = imported.get(file) ?? new Set();
      imported.set(file, names);
      for (const name of found) names.add(name);
    }
  return imported;
}

/** What a file exports, and whether its own code seems to name it, comments aside. */
const findExports = remember((text) => {
  const exported = [...text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm)];
  const names = exported.map(([, name = ""]) => name);
  if (names.length === 0) return [];
  const code = text.replaceAll(/^ *(\/\*\*|\*|\/\/).*/gm, "");
  const uses = new Map<string, number>();
  for (const [word] of code.matchAll(/\w+/g)) uses.set(word, (uses.get(word) ?? 0) + 1);
  const members = new Set([...code.matchAll(/\b(\w+)\??:/g)].map(([, name]) => name));
  return names.map((name, index) => {
    // A member may have the same name, and a type that of its schema.
    const isShared = members.has(name) || names.indexOf(name) !== index || names.lastIndexOf(name) !== index;
    return { name, isMentioned: (uses.get(name) ?? 0) > 1 && !isShared };
  });
});

/** Only NestJS has decorators, which are compiled before bundling. */
export const hasDecorators = (framework: Request["framework"]) => framework === "nest";

/** Whether what connects the framework changes its routers, so that it must be loaded before one is created. */
export const changesRouters = (framework: Request["framework"]) => ["express", "koa", "nest"].includes(framework);

/** The file in `src` in which owners mount their own routes. */
export const appFile = (framework: string) => (framework === "nest" ? "app.module.ts" : "app.ts");

/** The file in `src` that mounts the resources and features. */
export const mountsFile = (framework: Request["framework"]) =>
  framework === "nest" ? "app-routes.module.ts" : "routes.ts";

interface Plan {
  /** The path in the backend of a project's file. */
  findOrigin(path: string): string;
  /** The path in the project of a backend's file. */
  findPlace(path: string): string;
  /** Files to import instead of others. */
  redirected: Map<string, string>;
  isGone(path: string): boolean;
  /** Whether a file keeps its imports without names. */
  isOrdered(path: string): boolean;
  /** The file that mounts the resources. */
  mounts: string;
}

function createPlan(backend: Files, request: Request): Plan {
  const { framework, database, features: asked, webhooks } = request;
  const others = ["sqlite", "postgres"].filter((kind) => database !== "both" && kind !== database);
  const gone = new Set<string>();
  if (!asked.includes("auth")) gone.add(`src/core/${framework}/public.ts`);
  if (!hasSchema(request)) gone.add("src/core/store/schema.ts");
  const unasked = features.filter((feature) => !asked.includes(feature));
  const folders = [
    "src/frameworks/",
    "src/core/frameworks/",
    ...unasked.flatMap((name) => [`src/core/features/${name}/`, `src/${name}/`, `src/core/${framework}/${name}/`]),
    ...(asked.includes("item-routes") ? [] : ["src/items/by-id."]),
    ...sources
      .filter((source) => !webhooks.includes(source))
      .map((source) => `src/core/features/webhooks/sources/${source}.ts`),
    ...listUnneededRules(request),
  ];
  // Files of the framework's folders replace those in `src` and `test`; in the core they have a folder.
  const own = `frameworks/${framework}/`;
  const starts = { core: new RegExp(`^src/core/${framework}/|^(src|test)/`), own: new RegExp(`^(src|test)/${own}`) };
  const inFramework = (path: string) =>
    path.replace(starts.core, (start, folder) => (folder ? `${start}${own}` : `src/core/${own}`));
  // Remembered, because the same files are imported by many others.
  return {
    findOrigin: (path) => (backend.has(inFramework(path)) ? inFramework(path) : path),
    findPlace: remember((path) => path.replace(`src/core/${own}`, `src/core/${framework}/`).replace(starts.own, "$1/")),
    redirected: new Map([
      ["src/core/connect.ts", `src/core/${framework}/connect.ts`],
      ...(others.length > 0 ? [["src/core/store/open.ts", `src/core/store/${database}.ts`] as const] : []),
    ]),
    isGone: remember(
      (path) =>
        folders.some((folder) => path.startsWith(folder)) ||
        others.some((kind) => path.endsWith(`/${kind}.ts`)) ||
        gone.has(path),
    ),
    isOrdered: (path) => path !== "src/main.ts" || changesRouters(framework),
    mounts: `src/${mountsFile(framework)}`,
  };
}

/** The files of rules that no field uses. */
function listUnneededRules({ fields, resources }: Request): string[] {
  const all = [...fields, ...resources.flatMap((resource) => resource.fields)];
  const asked = { unique: all.some(({ isUnique }) => isUnique), ref: all.some(({ type }) => type === "ref") };
  return [
    ...(asked.unique ? [] : ["src/core/fields/unique.ts", "src/core/features/unique-fields/"]),
    ...(asked.ref ? [] : ["src/core/fields/ref.ts", "src/core/features/reference-fields/"]),
  ];
}

const withNames = ({ name, fields }: Resource) => ({ name, fields, names: toNames(name) });

function makeText(path: string, backend: Files, plan: Plan, resources: ReturnType<typeof withNames>[]): string {
  for (const { name, names, fields } of resources) {
    if (path === `src/${name}/${names.singular}.ts`) return printResource(names, fields);
    if (path.startsWith(`src/${name}/`) && name !== "items")
      return copyFile(names, path, makeText(findOriginal(names, path), backend, plan, resources));
  }
  const text = sliceText(path, backend, plan);
  return path === plan.mounts ? repeatMounts(resources, path, text) : text;
}

function sliceText(path: string, backend: Files, plan: Plan): string {
  const origin = plan.findOrigin(path);
  const source = backend.get(origin);
  if (source === undefined) throw new Fault("slice_missing", `The backend has no file ${origin}.`);
  const imported = listImported(origin, source).map(plan.findPlace);
  const gone = imported.filter(plan.isGone);
  const redirected = imported.filter((one) => plan.redirected.has(one));
  // Other choices leave the file as it is.
  const key = [path, origin, ...gone, "", ...redirected.map((one) => plan.redirected.get(one))].join("\n");
  return rememberCut(backend, key, () => cutText(path, origin, source, plan, new Set(gone)));
}

const cuts = new WeakMap<Files, Map<string, string>>();

/** The number of keys is limited: a file has few imports that a request can remove. */
function rememberCut(backend: Files, key: string, make: () => string): string {
  const known = cuts.get(backend) ?? new Map<string, string>();
  cuts.set(backend, known);
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

function cutText(path: string, origin: string, source: string, plan: Plan, gone: ReadonlySet<string>): string {
  const moved = rewriteImports(source, (specifier) => respell(path, plan.findPlace(target(origin, specifier))));
  const isGone = (specifier: string) => specifier.startsWith(".") && gone.has(target(path, specifier));
  const ordered = plan.isOrdered(path) ? moved : cutBareImports(path, moved);
  const trimmed = gone.size > 0 ? cut(path, ordered, isGone) : ordered;
  const text = rewriteImports(trimmed, (specifier) => {
    const redirected = plan.redirected.get(target(path, specifier));
    return redirected ? respell(path, redirected) : specifier;
  });
  return origin === path ? text : sortImports(text);
}
