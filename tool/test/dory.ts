import { spawn } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { mock } from "node:test";
import { run } from "../src/run.ts";
import { repository, temporaryFolder } from "./support.ts";

export const bin = join(repository, "tool/bin/dory.js");

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs dory in a folder; the scripts in `programs` replace the real programs. */
export function dory(cwd: string, args: string[], { stdin = "", programs = {} as Record<string, string> } = {}) {
  const env = { ...process.env, PATH: pathWith(programs) };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env });
  child.stdin.end(stdin);
  const outcome = new Promise<Outcome>((resolve) => {
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { child, outcome };
}

/** The same in this process, in a fifth of the time: one command at a time, and nothing that ends it. */
export async function doryHere(cwd: string, args: string[], { programs = {} as Record<string, string> } = {}) {
  const before = { path: process.env["PATH"], folder: process.cwd() };
  const stdout = mock.method(console, "log", () => {});
  const stderr = mock.method(console, "error", () => {});
  const read = ({ mock: { calls } }: typeof stdout) => calls.map((call) => `${call.arguments[0]}\n`).join("");
  process.chdir(cwd);
  process.env["PATH"] = pathWith(programs);
  try {
    const code = await run(args);
    return { code, stdout: read(stdout), stderr: read(stderr) };
  } finally {
    process.env["PATH"] = before.path;
    process.chdir(before.folder);
    stdout.mock.restore();
    stderr.mock.restore();
  }
}

/** A PATH with these scripts before the real programs. */
export function pathWith(programs: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return `${folder}${delimiter}${process.env["PATH"]}`;
}
