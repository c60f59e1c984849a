import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readBackend } from "../src/backend.ts";
import { projectFor } from "../src/project.ts";
import { readRequest, type Written } from "../src/request.ts";
import type { Files } from "../src/slice/slice.ts";

export const repository = join(import.meta.dirname, "../..");
export const backend = readBackend(repository);

export function project(written: Written): Files {
  return projectFor(readRequest({ name: "my-api", ...written }), backend);
}

const folders: string[] = [];

process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is removed when the tests end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dory-"));
  // PostgreSQL does not run as root, and the user it runs as then must get to its files.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Writes a project that shares the repository's packages: installing them for each would take minutes. */
export function writeOut(files: Files): string {
  const folder = temporaryFolder();
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Runs a command; what it said is in the error if it fails. */
export function run(folder: string, program: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      PATH: `${join(folder, "node_modules/.bin")}:${process.env["PATH"]}`,
      NODE_TEST_CONTEXT: undefined,
    };
    execFile(program, args, { cwd: folder, env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error)
        reject(new Error(`${program} ${args.join(" ")} failed:\n${stdout.slice(-4000)}${stderr.slice(-4000)}`));
      else resolve(stdout + stderr);
    });
  });
}
