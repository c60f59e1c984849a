import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { BuildOptions, PartialMessage, Plugin } from "esbuild";
import { has, load, root } from "../project.ts";
import { copyBeside, copyMigrations, copyOwnFiles, findBeside, locate, nameTransports } from "./beside.ts";
import { appEntry, decorators, hasDecorators } from "./compile.ts";
import { bundleModules, findModules, writeModules } from "./modules.ts";
import { inBundle, packageFolder, packages } from "./packages.ts";
import { findUnknownWorkers, findWorkers } from "./workers.ts";

/** A source map for our own code. For packages it has only the files, all with line 1: Node parses it at the first error, and the server waits. */
const ownLines: Plugin = {
  name: "own lines",
  setup(build) {
    build.onLoad({ filter: /\bnode_modules\b.*\.[cm]?js$/ }, async ({ path }) => {
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: "AAAA" });
      const code = await inBundle(await readFile(path, "utf8"));
      const contents = `${code}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
      return { contents, loader: "default" };
    });
  },
};

/** Own code finds its files beside the bundle; the files of a package that esbuild cannot bundle stand beside it. */
const ownFiles: Plugin = {
  name: "own files",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const place = relative(join(root, "src"), path);
      const code = place.startsWith("..") ? "" : await readFile(path, "utf8");
      return code.includes("import.meta.") ? { contents: locate(code, place), loader: "ts" } : undefined;
    });
    build.onLoad({ filter: /\bnode_modules\b/ }, ({ path }) =>
      /\.([cm]?[jt]sx?|json)$/.test(path) ? undefined : { contents: "", loader: "empty" },
    );
  },
};

/** How the project is bundled: for `npm run dev` without minifying it. */
export function createOptions({ isStart = false } = {}): BuildOptions {
  const modules = findModules(root);
  return {
    entryPoints: findEntries(),
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    // Packages are resolved as Node does. esbuild would add a condition that only bundlers understand.
    conditions: [],
    target: "node26",
    // Names are kept: libraries use names of classes, and stack traces stay readable.
    minifySyntax: !isStart,
    minifyWhitespace: !isStart,
    // For an error at startup Node prints the whole line first. A long one fills the pipe to the log, and the error is lost.
    lineLimit: 500,
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "silent",
    plugins: [
      packages(),
      ...(modules.length > 0 ? [bundleModules(root, modules)] : []),
      ownLines,
      ...(hasDecorators() ? [decorators] : []),
      ownFiles,
    ],
  };
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
export async function bundle(options = createOptions()): Promise<void> {
  const dist = join(root, "dist");
  const all = await bundleWith(packages(), options);
  const beside = findBeside(root, all.metafile);
  const isWhole = beside.folders.size === 0;
  const banner = { js: nameTransports(root, beside) };
  const { outputFiles } = isWhole ? all : await bundleWith(packages(beside), { ...options, banner });
  await print([...all.warnings, ...findUnknownWorkers(root)], "warning");
  copyBeside(beside, dist);
  copyOwnFiles(root, dist, all.metafile);
  await writeModules(root, findModules(root), dist);
  copyMigrations(root, dist);
  // Another build or a start may run at the same time: it must not read an incomplete file.
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}

async function bundleWith(packages: Plugin, options: BuildOptions) {
  const { build } = await import("esbuild");
  const [, ...others] = options.plugins ?? [];
  const [metafile, write] = [true, false] as const;
  return build({ ...options, plugins: [packages, ...others], absWorkingDir: root, metafile, write });
}

/** Builds the project, or prints why that is not possible. With `--start`, it is started in this process. */
export async function runBuild(args: string[]): Promise<void> {
  const isStart = args.includes("--start");
  await bundle(createOptions({ isStart })).catch(fail);
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
  if (error instanceof Error && "errors" in error)
    await print((error.errors as PartialMessage[]).map(explain), "error");
  else console.error(error);
  process.exit(1);
}

async function print(messages: PartialMessage[], kind: "warning" | "error"): Promise<void> {
  const { formatMessages } = await import("esbuild");
  const texts = await formatMessages(messages, { kind, color: process.stderr.isTTY });
  if (texts.length > 0) console.error(texts.join(""));
}

/** The bundle is CommonJS, which cannot wait while it is loaded. */
function explain(message: PartialMessage): PartialMessage {
  if (!message.text?.startsWith("Top-level await")) return message;
  const name = packageFolder(message.location?.file ?? "")?.replace(/^.*node_modules[\\/]/, "");
  const text = name
    ? `The package ${name} uses await at its top level, which the bundle cannot contain. List it in dependencies, and load it by its name in a function that may wait: const name: string = "${name}"; await import(name)`
    : "The bundle cannot contain await at the top level of a file. Write it in a function that may wait, like a handler.";
  return { ...message, text };
}
