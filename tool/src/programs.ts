import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Fault } from "./fault.ts";
import type { Line } from "./progress.ts";
import type { Folder } from "./write.ts";

type Say = (line: string) => void;

/** Installs the packages. If npm fails, the project stays, and the message says how to go on. */
export async function npmInstall(folder: Folder, begin: (title: string) => Promise<Line> | undefined): Promise<void> {
  const line = await begin("Installing packages");
  const { code, output } = await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], folder.path);
  line?.end(code === 0);
  if (code === 0) return;
  folder.keep();
  const reason = output.trim().split("\n").slice(-5).join("\n");
  throw new Fault(
    "npm_install",
    `The project is made, but npm install failed:\n${reason}\nGo on with: cd ${folder.path} && npm install`,
  );
}

/** Makes a repository with a first commit, unless the project is inside of one already. */
export async function commitAll({ path }: Folder, say: Say): Promise<void> {
  const inside = await run("git", ["rev-parse", "--is-inside-work-tree"], path);
  if (inside.code === 0) return say("No git repository made: the folder is inside of one.");
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
    if (code !== 0) return say(`No git commit made: ${output.trim() || "git cannot be run"}`);
  }
}

export async function npmStart(path: string): Promise<number> {
  const child = spawn("npm", ["start"], { cwd: path, stdio: "inherit" });
  process.on("SIGINT", () => {}).on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

const running = new Set<ChildProcess>();
let isEnding = false;

/** Ends what runs, and lets nothing follow on it. */
export async function endPrograms(): Promise<void> {
  isEnding = true;
  for (const child of running) child.kill();
  await Promise.all([...running].map((child) => once(child, "close")));
}

/** Runs a program and gathers what it says; a program that is not there has the code 127. */
function run(program: string, args: string[], cwd: string): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    const end = (code: number, output: string) => {
      running.delete(child);
      if (!isEnding) resolve({ code, output });
    };
    child.once("error", () => end(127, `${program} cannot be run; is it installed?`));
    child.once("close", (code) => end(code ?? 1, output));
  });
}
