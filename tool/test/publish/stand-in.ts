import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A stand-in for a program: records its calls, and answers as a module says. */
export interface Call {
  program: string;
  args: string[];
  stdin: string;
  env: Record<string, string | undefined>;
}

export interface Answer {
  stdout?: string;
  stderr?: string;
  code?: number;
}

/** Answers that a test sets for calls that match, each a number of times. They come before a module's own. */
export interface Scripted {
  script?: { when: string; times?: number; answer: Answer }[];
}

export type Answering<S extends Scripted> = (args: string[], stdin: string, state: S) => Answer;

export function standIn<S extends Scripted>(folder: string, program: string, answer: Answering<S>): void {
  const args = process.argv.slice(2);
  const stdin = readFileSync(0, "utf8");
  const call: Call = { program, args, stdin, env: process.env };
  appendFileSync(join(folder, "calls.jsonl"), `${JSON.stringify(call)}\n`);
  appendFileSync(join(folder, "processes.txt"), `${commandLines()}\n`);
  const path = join(folder, `${program}.json`);
  const text = readFileSync(path, "utf8");
  const state: S = JSON.parse(text);
  const { stdout = "", stderr = "", code = 0 } = scripted(args, stdin, state) ?? answer(args, stdin, state);
  // Calls at the same time only read; calls that change something run alone.
  if (JSON.stringify(state) !== text) writeFileSync(path, JSON.stringify(state));
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = code;
}

export function scripted(args: string[], stdin: string, { script = [] }: Scripted): Answer | undefined {
  const all = [...args, stdin].join(" ");
  const found = script.find(({ when, times = 1 }) => times > 0 && new RegExp(when).test(all));
  if (found) found.times = (found.times ?? 1) - 1;
  return found?.answer;
}

/** What `ps` would show now. */
function commandLines(): string {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .join("\n");
}
