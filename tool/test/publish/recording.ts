import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildSync } from "esbuild";
import { execute } from "../../src/execute.ts";
import { runner } from "../../src/publish/program.ts";
import { project, repository, temporaryFolder, writeOut } from "../support.ts";
import { type Answering, type Call, type Scripted, scripted } from "./stand-in.ts";

/** Replaces a program with a stand-in that records calls; `state` is kept between calls. */
export function record<S extends object>(program: string, module: string, state: S) {
  const folder = temporaryFolder();
  const bundle = join(folder, `${program}.cjs`);
  // Plain JavaScript, which starts in a third of the time.
  const contents = `import { standIn } from "./stand-in.ts"; import { answer } from "./${module}";
    standIn(${JSON.stringify(folder)}, ${JSON.stringify(program)}, answer);`;
  const from = { contents, resolveDir: import.meta.dirname, loader: "ts" as const };
  buildSync({ stdin: from, outfile: bundle, bundle: true, platform: "node", format: "cjs" });
  writeFileSync(join(folder, program), `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`);
  chmodSync(join(folder, program), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${process.env["PATH"]}`;
  const file = join(folder, `${program}.json`);
  writeFileSync(file, JSON.stringify(state));
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  return {
    folder,
    calls: (): Call[] =>
      read("calls.jsonl")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    commands: () =>
      read("calls.jsonl")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).args.join(" ")) as string[],
    processes: () => read("processes.txt"),
    state: (): S => JSON.parse(readFileSync(file, "utf8")),
    change: (change: (state: S) => void) => {
      const state: S = JSON.parse(readFileSync(file, "utf8"));
      change(state);
      writeFileSync(file, JSON.stringify(state));
    },
  };
}

/** The same in this process, for programs that are run through `runner`. The last stand-in answers. */
export function recordHere<S extends Scripted>(program: string, answer: Answering<S>, state: S): Recording<S> {
  const calls: Call[] = [];
  runner.execute = async (name, args, how = {}) => {
    if (name !== program) return { code: 127, stdout: "", stderr: `${name} is not installed` };
    const stdin = how.input ?? "";
    calls.push({ program, args, stdin, env: how.env ?? process.env });
    // Copies, as with a process: input and answers share no objects.
    return { code: 0, stdout: "", stderr: "", ...(scripted(args, stdin, state) ?? answer([...args], stdin, state)) };
  };
  return { state, calls, commands: () => calls.map(({ args }) => args.join(" ")) };
}

export interface Recording<S> {
  state: S;
  calls: Call[];
  commands(): string[];
}

/** A generated project that declares a secret, to be published as a whole. */
export function projectFolder(database = "postgres"): string {
  const files = project({ name: "shop", framework: "hono", database });
  const settings = { secrets: ["DATABASE_URL"], registry: "registry.example.com" };
  const document = { ...JSON.parse(files.get("dory.json") ?? ""), publish: settings };
  return writeOut(files.set("dory.json", JSON.stringify(document)).set("package-lock.json", "{}"));
}

/** Runs dory in a folder; the values of secrets are in a file, not in the environment. */
export async function dory(cwd: string, args: string[], variables: string) {
  const file = join(temporaryFolder(), "variables");
  writeFileSync(file, variables);
  const bin = join(repository, "tool/bin/dory.js");
  const secrets = args[0] === "publish" ? ["--env-file", file] : [];
  return execute(process.execPath, [bin, ...args, ...secrets], { cwd });
}
