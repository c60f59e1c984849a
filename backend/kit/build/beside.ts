import { cpSync, existsSync, globSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import type { Metafile, OutputFile, PartialMessage } from "esbuild";
import { findResolved } from "./own-code.ts";
import { type Beside, findPackage, packageFolder, readDependencies, readsName } from "./packages.ts";

/** Code that needs its own place: for files beside it, addons, workers, what it loads by another name of `require`, or packages that it looks for. */
const ownPlace =
  /=\s*require\s*[;,\n]|\b(__dirname|__filename|import\.meta\.(url|dirname|filename|resolve)|require\.resolve|new Worker)\b|\bcreateRequire\(/;

/** These need their place only for what the project's own code would mention. */
const unless = new Map([
  ["pino", /transport/],
  ["thread-stream", /transport/],
]);

/** They change other packages when these are loaded, to trace them: nothing of a package in the bundle could be seen. */
const watching = new Set(["require-in-the-middle", "import-in-the-middle", "dd-trace", "newrelic", "elastic-apm-node"]);

/**
 * A bundle is code in strict mode, and old packages may not be: there, a value is assigned to a name that is not declared, or to a
 * member of a text. The frameworks and drivers have these, which mean the same in strict mode.
 */
const sameInStrict = new Set(
  "append-field cookie-signature debug deep-equal delegates dequal fast-querystring fast-safe-stringify http-assert ieee754 inherits ipaddr.js is-promise koa media-typer mime-types ms multer object-inspect once pg pg-types reflect-metadata set-cookie-parser tslib wrappy xtend".split(
    " ",
  ),
);

/**
 * The packages that cannot be bundled, because they need their files, with all packages that these need: one that is loaded from
 * the bundle and again from beside it would not recognise its own objects. Dependencies that nothing imports are among them:
 * something loads them by their names.
 */
export function findBeside(root: string, { inputs }: Metafile, packages: Packages, missing: Set<string>): Beside {
  const ownCode = packages.get("")?.code ?? "";
  const { required, development } = readDependencies(root);
  const found = new Set<string>();
  const open = [
    ...[...packages.keys()].filter((folder) => watching.has(basename(folder))),
    ...[...packages].filter(([folder, bundled]) => needsPlace(folder, bundled, ownCode)).map(([folder]) => folder),
    ...findPackages(required, root).filter((folder) => !packages.has(folder)),
    ...findPackages(findResolved(ownCode), join(root, "src")),
  ];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (found.has(folder)) continue;
    found.add(folder);
    if (watching.has(basename(folder))) open.push(...[...packages.keys()].filter((one) => one !== ""));
    const { required, optional } = readDependencies(folder);
    const used = optional.filter((name) => !development.includes(name));
    open.push(...findPackages([...required, ...used], folder), ...(packages.get(folder)?.imports ?? []));
  }
  const modules = Object.keys(inputs).filter((input) => inputs[input]?.format === "esm");
  return {
    folders: new Map([...found].sort().map((folder) => [folder, toPlace(folder)])),
    modules: new Set(modules.map((input) => join(root, input))),
    missing,
  };
}

/** What Node can run, and the bundle would not contain as it is: code that waits at the top level, and calls of packages for files that they do not have. */
export function findLimits(root: string, faults: PartialMessage[]) {
  const missing = new Set<string>();
  let isWaiting = false;
  const others = faults.filter(({ text = "", location }) => {
    const isOfPackage = packageFolder(join(root, location?.file ?? "")) !== undefined;
    const [, path] = /^Could not resolve "(\.{1,2}\/.*)"$/.exec(text) ?? [];
    if (text.startsWith("Top-level await")) isWaiting = true;
    else if (path && isOfPackage && location?.lineText?.includes("require(")) missing.add(path);
    else return true;
    return false;
  });
  return { isWaiting, missing, others };
}

/**
 * The files with classes that have other names in the bundle, because something else has theirs: own ones, and those of a package
 * that reads the names of its objects' classes.
 */
export function findRenamed(root: string, outputFiles: OutputFile[], packages: Packages): Set<string> {
  const code = outputFiles.filter(({ path }) => path.endsWith("js")).map(({ text }) => text);
  const names = new Set(code.flatMap((text) => [...text.matchAll(numbered)].map(([, name = ""]) => name)));
  const isRenamed = (code: string) => !readsName.test(code) && findClasses(code).some((name) => names.has(name));
  const core = join(root, "src/core/");
  // Compiled alone, JSX and decorators would not mean what `tsconfig.json` says.
  const needsSettings = (file: string, code: string) => file.endsWith("x") || /^\s*@\w/m.test(code);
  const find = ([folder, bundled]: [string, Bundled]) => {
    if (folder !== "" && !readsClassNames.test(bundled.code)) return [];
    return bundled.files.filter((file) => {
      const code = bundled.read(file);
      return !file.startsWith(core) && isRenamed(code) && (folder !== "" || !needsSettings(file, code));
    });
  };
  return new Set([...packages].flatMap(find));
}

/** As esbuild names what would have the name of something else: `function model2(`, `class Cat2{`, `var Cat2=class`. */
const numbered = /\b(?:function\*? ?|class |(?:var|let|const) )([A-Za-z_$][\w$]*?)\d+(?=[ ({]|=class\b| = class\b)/g;
const readsClassNames = /\bconstructor\.name\b(?!\s*[!=]==?\s*["'](Async|Generator))/;

/** The names of classes, and of functions that construct objects. */
function findClasses(code: string): string[] {
  const find = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, name = ""]) => name);
  const constructing = new Set([...find(/\b(?:new|instanceof)\s+([\w$]+)/g), ...find(/\b([\w$]+)\.prototype\b/g)]);
  const functions = find(/\bfunction\s+([\w$]+)/g);
  return [...find(/\bclass\s+([\w$]+)/g), ...functions.filter((name) => constructing.has(name))];
}

/** pino looks for its transports from the files of a stack trace, which are not beside the bundle if it has a source map. */
export function nameTransports(root: string, { folders }: Beside): string {
  const places = new Set(folders.values());
  const names = readDependencies(root).required.filter((name) => places.has(join("node_modules", name)));
  if (!places.has(join("node_modules", "pino"))) return "";
  return `globalThis.__bundlerPathsOverrides = {};
for (const name of ${JSON.stringify(names)}) try { __bundlerPathsOverrides[name] = require.resolve(name) } catch {}`;
}

/** Copies what changed: another build, or a backend that runs, may read these files at the same time. */
export function copyBeside({ folders }: Beside, dist: string): void {
  removeOthers(new Set(folders.values()), dist);
  for (const [folder, place] of folders) {
    const target = join(dist, place);
    if (!isSameVersion(folder, target)) rmSync(target, { recursive: true, force: true });
    const filter = (from: string, to: string) => isNeeded(relative(folder, from)) && !isSameFile(from, to);
    cpSync(folder, target, { recursive: true, dereference: true, preserveTimestamps: true, filter });
  }
}

/** Copies the owner's files in `src` that are not code of the bundle: templates, pages with their scripts, data. */
export function copyOwnFiles(root: string, dist: string, { inputs }: Metafile): void {
  const isFile = (path: string) => statSync(join(root, "src", path)).isFile();
  const isBundled = (path: string) => join("src", path).replaceAll(sep, "/") in inputs;
  const isCode = (path: string) => /\.([cm]?tsx?|jsx)$/.test(path) || (/\.[cm]?js$/.test(path) && isBundled(path));
  // Also `.well-known`, which a glob leaves out; but not what belongs to this machine alone.
  const isOwn = (path: string) =>
    !/^core(\/|$)|(^|\/)(node_modules|\.git|\.DS_Store|\.env[^/]*)(\/|$)/.test(path.replaceAll(sep, "/"));
  for (const path of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }))
    if (isOwn(path) && isFile(path) && !isCode(path)) cpSync(join(root, "src", path), join(dist, path));
}

/** Copies the migrations, and removes what is left of others. */
export function copyMigrations(root: string, dist: string): void {
  const list = (folder: string) => globSync("migrations/*.sql", { cwd: folder });
  const own = list(root);
  for (const path of list(dist)) if (!own.includes(path)) rmSync(join(dist, path));
  for (const path of own) cpSync(join(root, path), join(dist, path));
}

class Bundled {
  readonly files: string[] = [];
  /** Those that are no ES modules. */
  readonly scripts: string[] = [];
  /** The packages that it imports. */
  readonly imports: string[] = [];
  readonly #codes = new Map<string, string>();

  get code(): string {
    return this.files.map((file) => this.read(file)).join("\n");
  }

  read(file: string): string {
    const code = this.#codes.get(file) ?? readCode(file);
    this.#codes.set(file, code);
    return code;
  }
}

type Packages = Map<string, Bundled>;

/** The packages of a bundle by their folders; the project's own code has none. */
export function groupByPackage(root: string, { inputs }: Metafile): Packages {
  const packages: Packages = new Map();
  // The others stand for files that are not in the bundle.
  const isFile = (path: string) => !path.startsWith("module:");
  for (const [input, { imports, format }] of Object.entries(inputs).filter(([input]) => isFile(input))) {
    const folder = packageFolder(join(root, input)) ?? "";
    const bundled = packages.get(folder) ?? new Bundled();
    packages.set(folder, bundled);
    bundled.files.push(join(root, input));
    if (format === "cjs") bundled.scripts.push(join(root, input));
    bundled.imports.push(...imports.flatMap(({ path }) => (isFile(path) && packageFolder(join(root, path))) || []));
  }
  return packages;
}

function needsPlace(folder: string, bundled: Bundled, ownCode: string): boolean {
  if (folder === "" || unless.get(basename(folder))?.test(ownCode) === false) return false;
  if (bundled.files.some((file) => !/\.([cm]?[jt]sx?|json)$/.test(file)) || ownPlace.test(bundled.code)) return true;
  return !sameInStrict.has(basename(folder)) && bundled.scripts.some((file) => isSloppy(bundled.read(file)));
}

/** Whether a script has code, and none of it is in strict mode. */
function isSloppy(code: string): boolean {
  return /\bfunction\b|=>|\bclass\b/.test(code) && !/["']use strict["']/.test(code);
}

/** The text of a file, without comments and without calls that load a package by its name. */
function readCode(file: string): string {
  if (!existsSync(file) || file.endsWith(".json")) return "";
  return readFileSync(file, "utf8")
    .replace(/^[ \t]*(\/\/|\/\*|\*).*$/gm, "")
    .replace(/createRequire\(import\.meta\.url\)\((?!["'`]\.)/g, "(");
}

function findPackages(names: string[], from: string): string[] {
  const found = names.filter((name) => !name.startsWith("@types/")).map((name) => findPackage(name, from));
  return found.flatMap((folder) => (folder === undefined ? [] : realpathSync(folder)));
}

/** The place of a package beside the bundle: the same as in the project, so that each finds its own version of others. */
function toPlace(folder: string): string {
  return folder.replace(/^.*?[\\/](?=node_modules[\\/])/, "");
}

function removeOthers(places: Set<string>, dist: string): void {
  const isKept = (place: string) => [...places].some((one) => one === place || one.startsWith(`${place}/`));
  for (const place of globSync(["node_modules/*", "node_modules/@*/*"], { cwd: dist }))
    if (!isKept(place)) rmSync(join(dist, place), { recursive: true, force: true });
}

function isSameVersion(folder: string, target: string): boolean {
  const [ours, theirs] = [folder, target].map((one) => join(one, "package.json"));
  if (ours === undefined || theirs === undefined || !existsSync(ours) || !existsSync(theirs)) return false;
  return readFileSync(ours).equals(readFileSync(theirs));
}

/** Other packages have their own places; types, maps and the sources of addons are not used. */
function isNeeded(path: string): boolean {
  return basename(path) !== "node_modules" && !/\.(d\.[cm]?ts|[cm]?js\.map|css\.map|[ch]|cc|cpp|hpp|[ao])$/.test(path);
}

function isSameFile(from: string, to: string): boolean {
  const [ours, theirs] = [statSync(from), statSync(to, { throwIfNoEntry: false })];
  return ours.isFile() && ours.size === theirs?.size && ours.mtimeMs === theirs.mtimeMs;
}
