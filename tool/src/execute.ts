import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { print, printError } from "./output.ts";

export const timedOut = 124;

export interface Outcome {
  /** 127 if the program is not installed, 124 if it took too long, 130 if it was interrupted. */
  code: number;
  stdout: string;
  stderr: string;
}

export interface Execution {
  /** What the program reads on stdin. Secrets are passed only this way. */
  input?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeoutMs?: number;
  /** Ends the program, together with what it has started, when aborted. */
  interrupted?: AbortSignal | undefined;
  /** It runs until it is interrupted; what it prints on stdout is not kept. */
  isEndless?: boolean;
  /** Called with each line of both streams. */
  onLine?: (line: string) => void;
}

/** Is told about the process groups of programs. */
export interface ProgramWatcher {
  started(group: number): void;
  ended(group: number): void;
}

const watchers = new Set<ProgramWatcher>();

/** A program that may be killed itself uses this to end what it has started. */
export function watchPrograms(watcher: ProgramWatcher): void {
  watchers.add(watcher);
}

/** Reports a process that leads a group. */
export function reportGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  for (const { started } of watchers) started(pid);
  child.once("close", () => {
    for (const { ended } of watchers) ended(pid);
  });
}

/** Lets a program print here, line by line; returns its exit code. */
export function show(program: string, args: string[]): Promise<number> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  createInterface(child.stdout).on("line", print);
  createInterface(child.stderr).on("line", printError);
  return new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", (code) => resolve(code ?? 0));
  });
}

/** Runs a program to its end. */
export function execute(program: string, args: string[], how: Execution = {}): Promise<Outcome> {
  // A separate process group: Ctrl-C reaches only this process, which then decides what to revert.
  const input = how.input === undefined ? "ignore" : "pipe";
  const options: SpawnOptions = { detached: true, stdio: [input, "pipe", "pipe"] };
  const child = spawn(program, args, { ...options, cwd: how.cwd, env: how.env });
  reportGroup(child);
  const outcome = { code: 127, stdout: "", stderr: "" };
  let ended: number | undefined;
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      if (!how.isEndless || name === "stderr") outcome[name] += text;
      for (const line of text.split("\n")) if (line.trim() !== "") how.onLine?.(line.trimEnd());
    });
  }
  child.stdin?.on("error", () => {}).end(how.input);
  const end = (code: number, signal: NodeJS.Signals) => () => {
    ended = code;
    // What npm has started would run on, and keep its pipes open.
    signalGroup(child, signal);
  };
  const late = how.isEndless ? undefined : setTimeout(end(timedOut, "SIGKILL"), how.timeoutMs ?? 600_000);
  const interrupt = end(130, "SIGTERM");
  if (how.interrupted?.aborted) interrupt();
  how.interrupted?.addEventListener("abort", interrupt);
  return new Promise((resolve) => {
    child.once("error", () => resolve({ ...outcome, stderr: `${program} cannot be run; is it installed?` }));
    child.once("close", (code) => {
      clearTimeout(late);
      how.interrupted?.removeEventListener("abort", interrupt);
      resolve({ ...outcome, code: ended ?? code ?? 1 });
    });
  });
}

/** Sends a signal to a process and to what it has started. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
