import { type Execution, execute, show, timedOut } from "../execute.ts";
import { Fault } from "../fault.ts";

/** What a program says when it fails, and what that means: a code, and what to do. */
export type KnownFault = [said: RegExp, code: string, message: string];

/** A platform's command-line program. */
export interface Program {
  /** Runs it and returns what it prints; a failure is reported in words that help. */
  run(args: string[], how?: Running): Promise<string>;
  /** The same where the answer is JSON, or nothing. */
  json<T>(args: string[], how?: Running): Promise<T | undefined>;
  /** Lets it print to whoever runs this. Returns its exit code. */
  show(args: string[]): Promise<number>;
}

export interface Running extends Execution {
  /** What is passed must not be seen, so nothing that the program says about it is repeated. */
  isSecret?: boolean;
}

/** Runs the programs of platforms. Tests of what these are told put a stand-in here: a process for each call takes long. */
export const runner = { execute, show };

/** `faults` are looked through in their order; `missing` says how to get the program. */
export function program(name: string, missing: string, faults: KnownFault[]): Program {
  const run = async (args: string[], { isSecret = false, ...how }: Running = {}) => {
    const { code, stdout, stderr } = await runner.execute(name, args, { timeoutMs: 120_000, ...how });
    if (code === 0) return stdout.trim();
    if (code === 127) throw new Fault(`no_${name}`, missing);
    if (code === timedOut)
      throw new Fault(`${name}_lost`, `${name} got no answer in time. Check the connection, then run the same again.`);
    const output = `${stdout}\n${stderr}`;
    const [, known, message] = faults.find(([said]) => said.test(output)) ?? [];
    const said = isSecret ? "" : `\n${output.trim().split("\n").filter(Boolean).slice(-5).join("\n")}`;
    if (known && message) throw new Fault(known, `${message}${said}`);
    throw new Fault(name, `${name} ${args.slice(0, 2).join(" ")} failed.${said}`);
  };
  return {
    run,
    json: async <T>(args: string[], how?: Running) => {
      const text = await run(args, how);
      return text === "" ? undefined : (JSON.parse(text) as T);
    },
    show: (args) => runner.show(name, args),
  };
}
