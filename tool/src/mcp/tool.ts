import type * as z from "zod";
import type { Reporter } from "../progress.ts";
import type { Watcher } from "../publish/actions.ts";
import { reportEvents } from "../publish/progress.ts";
import type { Session } from "./session.ts";

/** A tool for assistants, as data. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: I;
  output: O;
  /** Whether it changes nothing, anywhere. */
  isReadOnly: boolean;
  /** Whether it may end or replace what others use. */
  isDestructive?: boolean;
  /** Whether a second call with the same input changes nothing more. */
  isIdempotent?: boolean;
  /** Whether it reaches other machines. */
  isOpen?: boolean;
  run(input: z.output<I>, call: Call): Promise<z.input<O>>;
}

/** One call of a tool. */
export interface Call {
  session: Session;
  /** Reports progress. */
  report(message: string): void;
  /** Aborted if the call is cancelled, or the client goes away. */
  signal: AbortSignal;
}

/** Infers the types of a tool. */
export const defineTool = <I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>) => tool;

/** For making and changing projects: what is said is progress, and is kept. */
export function createReporter({ report, signal }: Call): Reporter & { lines: string[] } {
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    report(line);
  };
  return { lines, say, begin: (title) => void report(title), interrupted: signal };
}

/** For publishing: each step is progress, notes are kept. */
export function createWatcher({ report, signal }: Call): Watcher & { notes: string[] } {
  const notes: string[] = [];
  let title = "";
  const progress = reportEvents(({ event, text, state, ...step }) => {
    if (event === "note") notes.push(String(text));
    if (event !== "step" || (state !== "started" && state !== "running")) return;
    title = state === "started" ? String(step["title"]) : title;
    report([title, text].filter(Boolean).join(": "));
  });
  return { notes, progress, signal };
}
