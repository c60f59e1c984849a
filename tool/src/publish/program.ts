import { type Execution, execute, show, timedOut } from "../execute.ts";
import { Fault } from "../fault.ts";

/** A pattern in the output of a program that fails, with the code and the message to report. */
export type KnownFault = [pattern: RegExp, code: string, message: string];

/** A platform's command-line program. */
export interface Program {
  /** Runs it and returns what it prints; a known failure is reported with what to do. */
  run(args: string[], how?: Running): Promise<string>;
  /** The same, for output that is JSON or empty. */
  readJson<T>(args: string[], how?: Running): Promise<T | undefined>;
  /** Lets it print to this terminal. Returns its exit code. */
  show(args: string[]): Promise<number>;
}

export interface Running extends Execution {
  /** The input is secret, so the program's output is not repeated in errors. */
  isSecret?: boolean;
}

/** Runs the programs of platforms. Tests replace it with a stand-in, because processes are slow. */
export const runner = { execute, show };

/** The first match in `faults` counts; `missing` explains how to install the program. */
export function createProgram(name: string, missing: string, faults: KnownFault[]): Program {
  const run = async (args: string[], { isSecret = false, ...how }: Running = {}) => {
    const { code, stdout, stderr } = await runner.execute(name, args, { timeoutMs: 120_000, ...how });
    if (code === 0) return stdout.trim();
    if (code === 127) throw new Fault(`no_${name}`, missing);
    if (code === timedOut)
      throw new Fault(
        `${name}_lost`,
        `${name} got no answer in time. Check the connection, then run the same command again.`,
      );
    const output = `${stdout}\n${stderr}`;
    const [, known, message] = faults.find(([pattern]) => pattern.test(output)) ?? [];
    const lastLines = isSecret ? "" : `\n${output.trim().split("\n").filter(Boolean).slice(-5).join("\n")}`;
    if (known && message) throw new Fault(known, `${message}${lastLines}`);
    throw new Fault(name, `${name} ${args.slice(0, 2).join(" ")} failed.${lastLines}`);
  };
  return {
    run,
    readJson: async <T>(args: string[], how?: Running) => {
      const text = await run(args, how);
      return text === "" ? undefined : (JSON.parse(text) as T);
    },
    show: (args) => runner.show(name, args),
  };
}
