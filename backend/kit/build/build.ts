import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, parse, relative } from "node:path";
import type { BuildFailure, BuildOptions, PartialMessage, Plugin } from "esbuild";
import { has, load, root } from "../project.ts";
import {
  copyBeside,
  copyMigrations,
  copyOwnFiles,
  findBeside,
  findLimits,
  findRenamed,
  groupByPackage,
  nameTransports,
} from "./beside.ts";
import { appEntry, decorators, hasDecorators } from "./compile.ts";
import { bundleModules, findModules, writeModules } from "./modules.ts";
import { locate } from "./own-code.ts";
import { type Beside, inBundle, keepNames, nothingBeside, packages } from "./packages.ts";
import { beginnings, definitions } from "./place.ts";
import { findUnknownWorkers, findWorkers } from "./workers.ts";

/** A source map for our own code. For packages it has only the files, all with line 1: Node parses it at the first error, and the server waits. */
const ownLines = (renamed: Set<string>): Plugin => ({
  name: "own lines",
  setup(build) {
    build.onLoad({ filter: /\bnode_modules\b.*\.[cm]?js$/ }, async ({ path }) => {
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: "AAAA" });
      const text = await readFile(path, "utf8");
      const code = await inBundle(renamed.has(path) ? await keepNames(text) : text);
      const contents = `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
      return { contents, loader: "default" };
    });
  },
});

/** Own code finds its files beside the bundle; the files of a package that esbuild cannot bundle stand beside it. */
const ownFiles = (renamed: Set<string>): Plugin => ({
  name: "own files",
  setup(build) {
    build.onLoad({ filter: /\.([cm]?[jt]s|[jt]sx)$/ }, async ({ path }) => {
      const place = relative(join(root, "src"), path);
      if (/^\.\.|\bnode_modules\b/.test(place)) return undefined;
      const code = await readFile(path, "utf8");
      const located = locate(code, place);
      const loader = path.replace(/^.*\.[cm]?/, "") as "js" | "ts" | "jsx" | "tsx";
      if (renamed.has(path)) return { contents: await keepNames(located, basename(path), loader), loader: "js" };
      return located === code ? undefined : { contents: located, loader };
    });
    build.onLoad({ filter: /\bnode_modules\b/ }, ({ path }) =>
      /\.([cm]?[jt]sx?|json)$/.test(path) ? undefined : { contents: "", loader: "empty" },
    );
  },
});

interface How {
  /** For `npm run dev`: without minifying it. */
  isStart?: boolean;
  /** Whether it is an ES module: code that waits at its top level cannot be CommonJS, which starts faster. */
  isModule?: boolean;
  beside?: Beside;
  /** The files whose functions and classes keep their names. */
  renamed?: Set<string>;
}

/** How the project is bundled. */
export function createOptions(how: How = {}) {
  const { isStart = false, isModule = false, beside = nothingBeside, renamed = new Set() } = how;
  const modules = findModules(root);
  const format = isModule ? "esm" : "cjs";
  return {
    entryPoints: findEntries(),
    outdir: "dist",
    outExtension: { ".js": isModule ? ".mjs" : ".cjs" },
    format,
    banner: { js: beginnings[format] + nameTransports(root, beside) },
    define: definitions[format],
    bundle: true,
    platform: "node",
    // Packages are resolved as Node does. esbuild would add a condition that only bundlers understand.
    conditions: [],
    target: "node26",
    // No more: names of functions and classes would be lost, which libraries use, and stack traces show.
    minifyWhitespace: !isStart,
    // For an error at startup Node prints the whole line first. A long one fills the pipe to the log, and the error is lost.
    lineLimit: 500,
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [
      packages(beside, { isModule }),
      ...(modules.length > 0 ? [bundleModules(root, modules)] : []),
      ownLines(renamed),
      ...(hasDecorators() ? [decorators(renamed)] : []),
      ownFiles(renamed),
    ],
  } satisfies BuildOptions;
}

function findEntries() {
  const command = "src/core/features/webhooks/command.ts";
  return [
    { in: "src/main.ts", out: "main" },
    ...(hasDecorators() ? [appEntry] : []),
    ...(has(command) ? [{ in: command, out: "webhooks" }] : []),
    ...findWorkers(root),
  ];
}

/** Writes what runs, and what must stand beside it, to `dist`. */
export async function bundle({ isStart = false } = {}): Promise<void> {
  const dist = join(root, "dist");
  const { all, missing, isModule } = await bundleAll(isStart);
  const bundled = groupByPackage(root, all.metafile);
  const beside = findBeside(root, all.metafile, bundled, missing);
  const renamed = findRenamed(root, all.outputFiles, bundled);
  const isWhole = beside.folders.size === 0 && renamed.size === 0;
  const { outputFiles, warnings } = isWhole ? all : await bundleWith({ isStart, isModule, beside, renamed });
  await print([...warnings, ...findUnknownWorkers(root)], "warning");
  copyBeside(beside, dist);
  copyOwnFiles(root, dist, all.metafile);
  await writeModules(root, findModules(root), dist);
  copyMigrations(root, dist);
  for (const { path, text } of outputFiles) {
    replaceFile(path, text);
    const { dir, name, ext } = parse(path);
    if (ext === ".mjs") replaceFile(join(dir, `${name}.cjs`), `module.exports = import("./${name}.mjs");\n`);
    if (ext === ".cjs") for (const other of [".mjs", ".mjs.map"]) rmSync(join(dir, name + other), { force: true });
  }
}

/** Everything in one bundle. */
async function bundleAll(isStart: boolean) {
  try {
    return { all: await bundleWith({ isStart }), missing: new Set<string>(), isModule: false };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const { isWaiting: isModule, missing, others } = findLimits(root, error.errors);
    if (others.length > 0) throw Object.assign(error, { errors: others });
    const beside = { ...nothingBeside, missing };
    return { all: await bundleWith({ isStart, isModule, beside }), missing, isModule };
  }
}

async function bundleWith(how: How) {
  const { build } = await import("esbuild");
  const [metafile, write] = [true, false] as const;
  return build({ ...createOptions(how), absWorkingDir: root, metafile, write });
}

/** Another build or a start may run at the same time: it must not read an incomplete file. */
function replaceFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}

/** Builds the project, or prints why that is not possible. With `--start`, it is started in this process. */
export async function runBuild(args: string[]): Promise<void> {
  const isStart = args.includes("--start");
  await bundle({ isStart }).catch(fail);
  if (!isStart) return;
  // A restart does not wait for open streams.
  process.env["SHUTDOWN_TIMEOUT_MS"] ??= "500";
  await load("dist/main.cjs");
}

const migrateUsage = `npm run migrate            apply the files in migrations/ that the database of DATABASE_URL does not have yet, and list all
npm run migrate -- --plan  only list them: applied or pending`;

/** Applies or lists the migrations, with the program that is started in production. */
export async function runMigrate([flag, ...rest]: string[]): Promise<void> {
  const isKnown = (flag === undefined || flag === "--plan") && rest.length === 0;
  if (!isKnown) {
    (flag === "--help" ? console.log : console.error)(migrateUsage);
    process.exit(flag === "--help" ? 0 : 1);
  }
  await bundle().catch(fail);
  process.env["MIGRATE"] = flag === "--plan" ? "plan" : "only";
  await load("dist/main.cjs");
}

async function fail(error: unknown): Promise<never> {
  if (isBuildFailure(error)) await print(error.errors, "error");
  else console.error(error);
  process.exit(1);
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error;
}

async function print(messages: PartialMessage[], kind: "warning" | "error"): Promise<void> {
  const { formatMessages } = await import("esbuild");
  const texts = await formatMessages(messages, { kind, color: process.stderr.isTTY });
  if (texts.length > 0) console.error(texts.join(""));
}
