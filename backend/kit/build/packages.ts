import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "../project.ts";
import { declareModule } from "./place.ts";

/**
 * Where the packages of imports are: some stand beside the bundle, in `dist/node_modules`, all others are bundled. A package that
 * is imported but not installed fails the build, unless its importer works without it.
 */
export function packages(beside: Beside, { isModule = false } = {}): Plugin {
  const { modules, missing } = beside;
  return {
    name: "packages",
    setup(build) {
      if (missing.size > 0)
        build.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind }) =>
          kind === "require-call" && missing.has(path) && packageFolder(importer)
            ? { path, external: true }
            : undefined,
        );
      build.onResolve({ filter: /^[^./#]/ }, async ({ path, pluginData, ...options }) => {
        if (pluginData === beside || options.kind === "entry-point") return undefined;
        const resolved = await build.resolve(path, { ...options, pluginData: beside });
        if (resolved.errors.length > 0)
          return isInstalled(path, options.resolveDir) ? withoutFile(path, options) : withoutPackage(path, options);
        const place = findPlace(resolved.path, beside);
        if (place === undefined) return undefined;
        const isIndirect = !isModule && options.kind === "import-statement" && modules.has(resolved.path);
        return isIndirect ? { path: `${place}:`, namespace: "module" } : { path: place, external: true };
      });
      // In CommonJS: without this, the default of an ES module beside it would be the whole module. A name that does not
      // end in `.mjs` makes esbuild look for the real default.
      build.onLoad({ filter: /./, namespace: "module" }, ({ path }) => {
        const from = JSON.stringify(path.slice(0, -1));
        return { contents: `export * from ${from}; export { default } from ${from};` };
      });
      build.onResolve({ filter: /./, namespace: "module" }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** The packages that stand beside the bundle. */
export interface Beside {
  /** Their folders, and their places in `dist`. */
  folders: Map<string, string>;
  /** Their files that are ES modules. */
  modules: Set<string>;
  /** What packages load by a relative path and do not have, like an addon that is optional. */
  missing: Set<string>;
}

export const nothingBeside: Beside = { folders: new Map(), modules: new Set(), missing: new Set() };

/** The place of the file itself: from the bundle, the name of its package could find another version. */
function findPlace(file: string, { folders }: Beside): string | undefined {
  const folder = packageFolder(file) ?? "";
  const place = folders.get(folder);
  return place && `./${join(place, relative(folder, file)).replaceAll(sep, "/")}`;
}

/** A call of a package, for a file that another does not have or offer, fails when it is reached. */
function withoutFile(path: string, from: Importer) {
  return isCallOfPackage(from) ? { path, external: true } : undefined;
}

function withoutPackage(path: string, from: Importer) {
  const name = packageName(path);
  const { optional, required } = readDependencies(packageFolder(from.importer) ?? root);
  // esbuild allows it inside `try`.
  if (isCallOfPackage(from) && required.includes(name)) return undefined;
  // Other calls fail when they are reached: packages name some that their authors do not expect to be installed.
  if (isCallOfPackage(from) || optional.includes(name)) return { path, external: true };
  return { errors: [{ text: `The package ${name} is not installed. Run: npm install ${name}` }] };
}

type Importer = { importer: string; kind: string };

function isCallOfPackage({ importer, kind }: Importer): boolean {
  return packageFolder(importer) !== undefined && kind !== "import-statement";
}

/** Code of a package that works in a bundle: what it loads by a name is bundled, or stands beside the bundle. */
export async function inBundle(code: string): Promise<string> {
  const named = readsName.test(code) ? await keepNames(code) : code;
  const bundled = named.replace(
    /(\b(globalThis\.)?process\.getBuiltinModule\("node:module"\)\.)?\bcreateRequire\(import\.meta\.url\)\((["'][^"'.][^"']*["'])\)/g,
    "require($3)",
  );
  // What a package asks about itself is about the bundle.
  return declareModule(bundled, { "import.meta.url": 'require("node:url").pathToFileURL(__filename).href' });
}

/** A decorated class, or one that reads its own name, for example for the log. The bundle would change the name. */
export const readsName = /\b__decorate\(|^export class (\w+)\b[\s\S]*\b\1\.name\b/m;

/** Keeps the names of classes and functions; with the name of the file, the result has a source map. */
export async function keepNames(
  code: string,
  sourcefile?: string,
  loader: "js" | "ts" | "jsx" | "tsx" = "js",
): Promise<string> {
  const map = sourcefile ? ({ sourcemap: "inline", sourcefile } as const) : {};
  const { transform } = await import("esbuild");
  const kept = await transform(code, { keepNames: true, target: "node26", loader, ...map });
  return kept.code;
}

/** The name of the package in an import: `@scope/name` or `name`. */
export function packageName(specifier: string): string {
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/** The folder of the package that a file belongs to; none for the project's own files. */
export function packageFolder(file: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];
}

function isInstalled(path: string, folder: string): boolean {
  return findPackage(packageName(path), folder) !== undefined;
}

/** The folder of a package, where Node finds it from another folder. */
export function findPackage(name: string, from: string): string | undefined {
  const folder = join(from, "node_modules", name);
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? undefined : findPackage(name, dirname(from));
}

/** What a package needs, and what it uses if it is installed. */
export function readDependencies(folder: string): { required: string[]; optional: string[]; development: string[] } {
  const file = join(folder, "package.json");
  const content = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const { dependencies, optionalDependencies = {}, peerDependencies, peerDependenciesMeta = {} } = content;
  const isOptional = (name: string) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
  const named = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...peerDependenciesMeta });
  return {
    required: named.filter((name) => !isOptional(name)),
    optional: named.filter(isOptional),
    development: Object.keys(content.devDependencies ?? {}).filter((name) => !named.includes(name)),
  };
}
