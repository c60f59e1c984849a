import { spawn } from "node:child_process";
import { execute, timedOut } from "../execute.ts";
import { Fault } from "../fault.ts";
import { createGit } from "../git.ts";
import type { Reporter } from "../progress.ts";
import type { Files } from "./slice/slice.ts";
import { printTrailer } from "./trailer.ts";

/** Installs the packages of a project or service. Returns npm's output if it failed. */
export async function npmInstall(
  path: string,
  { begin, interrupted }: Pick<Reporter, "begin" | "interrupted">,
  service = "",
): Promise<string | undefined> {
  const line = await begin(service === "" ? "Installing packages" : `Installing packages of ${service}`);
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, stdout, stderr } = await createRun(interrupted)("npm", args, { cwd: path });
  line?.end(code === 0);
  return code === 0 ? undefined : readLastLines(stdout + stderr);
}

/** How long a script of a project may take. */
const scriptSeconds = 300;

/** Runs a script of a project. Returns its output if it failed. */
export async function npmRun(script: string, path: string, interrupted: AbortSignal): Promise<string | undefined> {
  const how = { cwd: path, timeoutMs: scriptSeconds * 1000 };
  const { code, stdout, stderr } = await createRun(interrupted)("npm", ["run", "--silent", script], how);
  if (code === timedOut) return `It was ended because it took more than ${scriptSeconds} seconds.`;
  return code === 0 ? undefined : readLastLines(stdout + stderr);
}

const readLastLines = (output: string) => output.trim().split("\n").slice(-5).join("\n");

/** Makes a repository with a first, pristine commit, unless the project is inside a repository already. */
export async function commitAll(
  path: string,
  files: Files,
  say: Reporter["say"],
  interrupted?: AbortSignal,
): Promise<void> {
  const git = createGit(path, {}, createRun(interrupted));
  const inside = await git(["rev-parse", "--is-inside-work-tree"]);
  if (inside.code === 0) return say("No git repository was made: the folder is inside one already.");
  const { stdout: settings } = await git(["config", "--get-regexp", "^user\\.(name|email)$"]);
  const steps = [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    // Includes files that the owner's global settings ignore.
    ["add", "-f", "--", ...files.keys()],
    [...completeIdentity(settings), "commit", "-q", "-m", "First commit", "-m", printTrailer(files)],
  ];
  for (const step of steps) {
    const { code, stdout, stderr } = await git(step);
    if (code !== 0) return say(`No git commit was made: ${(stdout + stderr).trim() || "git cannot be run"}`);
  }
}

/** What commits need in addition to the settings that git lists: an identity, if it has none or a half. */
export function completeIdentity(settings: string): string[] {
  const isKnown = ["email", "name"].every((part) => new RegExp(`^user\\.${part} .`, "m").test(settings));
  return isKnown ? [] : ["-c", "user.name=dory", "-c", "user.email=dory@localhost"];
}

export async function npmStart(path: string): Promise<number> {
  const child = spawn("npm", ["start"], { cwd: path, stdio: "inherit" });
  process.on("SIGINT", () => {}).on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

/** A word quoted for a shell. */
export function quote(word: string): string {
  return /^[\w./@:+-][\w./@:+,=-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Runs programs until they end. If they are interrupted, the code that waits for them does not continue either. */
function createRun(interrupted: AbortSignal | undefined): typeof execute {
  return async (program, args, how = {}) => {
    // A slow network may need long; Ctrl-C ends it.
    const outcome = await execute(program, args, { timeoutMs: 86_400_000, ...how, interrupted });
    if (interrupted?.aborted) throw new Fault("interrupted", "Interrupted.");
    return outcome;
  };
}
