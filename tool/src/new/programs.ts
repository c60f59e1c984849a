import { spawn } from "node:child_process";
import { type Execution, execute, type Outcome } from "../execute.ts";
import { createGit } from "../git.ts";
import type { Line } from "../progress.ts";
import type { Files } from "./slice/slice.ts";
import { printTrailer } from "./trailer.ts";

type Say = (line: string) => void;

/** Installs the packages of a project or service. Returns npm's output if it failed. */
export async function npmInstall(
  path: string,
  begin: (title: string) => Promise<Line> | undefined,
  service = "",
): Promise<string | undefined> {
  const line = await begin(service === "" ? "Installing packages" : `Installing packages of ${service}`);
  const { code, output } = await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], path);
  line?.end(code === 0);
  return code === 0 ? undefined : output.trim().split("\n").slice(-5).join("\n");
}

/** Runs a script of a project. Returns its output if it failed. */
export async function npmRun(script: string, path: string): Promise<string | undefined> {
  const { code, output } = await run("npm", ["run", "--silent", script], path);
  return code === 0 ? undefined : output.trim().split("\n").slice(-5).join("\n");
}

/** Makes a repository with a first, pristine commit, unless the project is inside a repository already. */
export async function commitAll(path: string, files: Files, say: Say): Promise<void> {
  const git = createGit(path, {}, runToEnd);
  const inside = await git(["rev-parse", "--is-inside-work-tree"]);
  if (inside.code === 0) return say("No git repository was made: the folder is inside one already.");
  const identity = (await git(["config", "user.email"])).code === 0 ? [] : defaultIdentity;
  const steps = [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    // Includes files that the owner's global settings ignore.
    ["add", "-f", "--", ...files.keys()],
    [...identity, "commit", "-q", "-m", "First commit", "-m", printTrailer(files)],
  ];
  for (const step of steps) {
    const { code, stdout, stderr } = await git(step);
    if (code !== 0) return say(`No git commit was made: ${(stdout + stderr).trim() || "git cannot be run"}`);
  }
}

/** The identity for commits if git has none. */
export const defaultIdentity = ["-c", "user.name=dory", "-c", "user.email=dory@localhost"];

export async function npmStart(path: string): Promise<number> {
  const child = spawn("npm", ["start"], { cwd: path, stdio: "inherit" });
  process.on("SIGINT", () => {}).on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

/** A word quoted for a shell. */
export function quote(word: string): string {
  return /^[\w./@:+-][\w./@:+,=-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const ending = new AbortController();
const running = new Set<Promise<unknown>>();

/** Ends the running programs. Code that waits for them does not continue. */
export async function endPrograms(): Promise<void> {
  ending.abort();
  await Promise.all(running);
}

/** Runs a program and collects its output. */
async function run(program: string, args: string[], cwd: string): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await runToEnd(program, args, { cwd });
  return { code, output: stdout + stderr };
}

/** After `endPrograms` the promise stays pending. */
async function runToEnd(program: string, args: string[], how: Execution = {}): Promise<Outcome> {
  // A slow network may need long; Ctrl-C ends it.
  const ended = execute(program, args, { ...how, interrupted: ending.signal, timeoutMs: 86_400_000 });
  running.add(ended);
  const outcome = await ended;
  running.delete(ended);
  return ending.signal.aborted ? new Promise(() => {}) : outcome;
}
