import { spawn } from "node:child_process";
import { execute } from "../execute.ts";
import { Fault } from "../fault.ts";
import type { Line } from "../progress.ts";

type Say = (line: string) => void;

/** Installs the packages. If npm fails, the project stays, and the message says how to continue. */
export async function npmInstall(path: string, begin: (title: string) => Promise<Line> | undefined): Promise<void> {
  const line = await begin("Installing packages");
  const { code, output } = await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], path);
  line?.end(code === 0);
  if (code === 0) return;
  const reason = output.trim().split("\n").slice(-5).join("\n");
  throw new Fault(
    "npm_install",
    `The project is made, but npm install failed:\n${reason}\nContinue with: cd ${quoted(path)} && npm install`,
  );
}

/** Makes a repository with a first commit, unless the project is inside one already. */
export async function commitAll(path: string, say: Say): Promise<void> {
  const inside = await run("git", ["rev-parse", "--is-inside-work-tree"], path);
  if (inside.code === 0) return say("No git repository was made: the folder is inside one already.");
  const identity =
    (await run("git", ["config", "user.email"], path)).code === 0
      ? []
      : ["-c", "user.name=dory", "-c", "user.email=dory@localhost"];
  const steps = [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    [...identity, "commit", "-q", "-m", "First commit"],
  ];
  for (const step of steps) {
    const { code, output } = await run("git", step, path);
    if (code !== 0) return say(`No git commit was made: ${output.trim() || "git cannot be run"}`);
  }
}

export async function npmStart(path: string): Promise<number> {
  const child = spawn("npm", ["start"], { cwd: path, stdio: "inherit" });
  process.on("SIGINT", () => {}).on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

/** A path as a shell reads it. */
export function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const ending = new AbortController();
const running = new Set<Promise<unknown>>();

/** Ends the programs that run. What waits for them goes no further. */
export async function endPrograms(): Promise<void> {
  ending.abort();
  await Promise.all(running);
}

/** Runs a program and collects its output. After `endPrograms` the promise stays pending. */
async function run(program: string, args: string[], cwd: string): Promise<{ code: number; output: string }> {
  // A network may be slow; the person who waits decides when to stop.
  const ended = execute(program, args, { cwd, interrupted: ending.signal, timeoutMs: 86_400_000 });
  running.add(ended);
  const { code, stdout, stderr } = await ended;
  running.delete(ended);
  return ending.signal.aborted ? new Promise(() => {}) : { code, output: stdout + stderr };
}
