import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildOptions, build as esbuild } from "esbuild";
import { Backend, type Environment } from "../../backend/kit/test/backend.ts";
import { readBackend } from "../src/backend.ts";
import { kitFile } from "../src/kit.ts";
import { filesFor } from "../src/new/application.ts";
import { type AnyInput, readAnyRequest } from "../src/new/services.ts";
import type { Files } from "../src/new/slice/slice.ts";
import { writeFiles } from "../src/new/write.ts";

export const repository = join(import.meta.dirname, "../..");
export const backend = readBackend(repository);

export function project(written: AnyInput): Files {
  return filesFor(readAnyRequest({ name: "my-api", ...written }), backend);
}

const folders: string[] = [];

process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is removed when the tests end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  // PostgreSQL does not run as root; its user needs access to its files.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Writes a project that shares the repository's packages, because installing them takes minutes. */
export function writeOut(files: Files, folder = temporaryFolder()): string {
  writeFiles(folder, files);
  sharePackages(folder);
  return folder;
}

export function sharePackages(folder: string): void {
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
}

/** The tools of a project, in this process. */
export function loadKit(folder: string): Promise<typeof import("../../backend/kit/main.ts")> {
  return import(join(folder, kitFile));
}

/** Builds a project as its own `npm run build` does, without two more processes. */
export async function build(folder: string): Promise<void> {
  const { bundle } = await loadKit(folder);
  await bundle();
}

/** The same without bundling packages, which takes longer than all the rest. */
export async function buildWithoutPackages(folder: string, changes: BuildOptions = {}): Promise<void> {
  const options = (await loadKit(folder)).createOptions();
  const plugins = options.plugins?.filter(({ name }) => name === "decorators" || name === "own files") ?? [];
  await esbuild({ ...options, packages: "external", plugins, absWorkingDir: folder, ...changes });
}

/** Starts a project that was built. */
export function start(folder: string, env: Environment): Promise<Backend> {
  return Backend.start(env, ["sh", "-c", `exec "$0" '${folder}/dist/main.cjs'`]);
}

/** Runs a command; if it fails, the error has its output. */
export function run(folder: string, program: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      PATH: `${join(folder, "node_modules/.bin")}:${process.env["PATH"]}`,
      NODE_TEST_CONTEXT: undefined,
    };
    execFile(program, args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error)
        reject(
          new Error(`${program} ${args.join(" ").slice(0, 200)} failed:\n${stdout.slice(-4000)}${stderr.slice(-4000)}`),
        );
      else resolve(stdout + stderr);
    });
  });
}

/** Installs a version of Node; returns the folder of its programs. */
export async function installNode(major: string): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const wanted = `node@npm:node-${process.platform}-${process.arch}@${major}`;
  await run(folder, "npm", "install", "--no-bin-links", "--no-audit", "--no-fund", wanted);
  return join(folder, "node_modules/node/bin");
}

/** The line of every project that names both databases: it may have migrations for one that it no longer keeps. */
export const migrationKinds = 'const kinds = ["sqlite", "postgres"];';
