import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildSync } from "esbuild";
import { execute } from "../../src/execute.ts";
import { readRequest } from "../../src/new/request.ts";
import type { Application } from "../../src/publish/application.ts";
import type { Progress } from "../../src/publish/progress.ts";
import { versionOf } from "../../src/publish/secrets.ts";
import { type Attempt, type Options, ReleaseFault } from "../../src/publish/target.ts";
import { project, repository, temporaryFolder, writeOut } from "../support.ts";
import type { Call } from "./stand-in.ts";

/** Puts a program that records before the real one; what it keeps between calls is `state`. */
export function record<S extends object>(program: string, module: string, state: S) {
  const folder = temporaryFolder();
  const bundle = join(folder, `${program}.cjs`);
  // Many are started, so they are plain JavaScript: that starts in a third of the time.
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

export const digest = (letter: string) => `registry.example.com/shop@sha256:${letter.repeat(64)}`;

export const options: Options = {
  isWaiting: false,
  healthMs: 3000,
  watchMs: 0,
  interrupted: new AbortController().signal,
};

/** Everything that a publisher was told, for tests that look for what must not be in it. */
export function quiet(told: string[] = []): Progress {
  return {
    step: (_name, title, work) => {
      told.push(title);
      return work((text) => told.push(text));
    },
    note: (text) => void told.push(text),
    event: (event, details) => void told.push(JSON.stringify({ event, ...details })),
  };
}

export function shop(...names: string[]): Application {
  const request = readRequest({ name: "shop", framework: "hono", database: "postgres" });
  const services = (names.length > 0 ? names : ["shop"]).map((name) => ({
    name,
    folder: "/nowhere",
    port: 3000,
    env: { LOG_LEVEL: "warn" },
    secrets: ["DATABASE_URL"],
    request,
  }));
  return { name: "shop", folder: "/nowhere", services };
}

/** A try to release all services of an application with one image. */
export function attempt(application: Application, image: string, secret: string, rest: Partial<Attempt> = {}): Attempt {
  const services = application.services.map(({ name, port, env, secrets }) => ({
    ...{ name, isBuilt: true, image, port, env, secrets },
    secretsVersion: versionOf({ DATABASE_URL: secret }),
  }));
  const release = { at: "2026-01-01T00:00:00.000Z", by: "ann@desk", commit: "c".repeat(40), isDirty: false, services };
  const secrets = Object.fromEntries(application.services.map(({ name }) => [name, { DATABASE_URL: secret }]));
  return { application, release, secrets, options, progress: quiet(), ...rest };
}

/** What a release that must fail says. */
export async function failure(work: Promise<unknown>): Promise<ReleaseFault> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(error instanceof ReleaseFault, String(error));
  return error;
}

/** A generated project that declares a secret, to be published as a whole. */
export function projectFolder(database = "postgres"): string {
  const files = project({ name: "shop", framework: "hono", database });
  const settings = { secrets: ["DATABASE_URL"], registry: "registry.example.com" };
  const document = { ...JSON.parse(files.get("dory.json") ?? ""), publish: settings };
  return writeOut(files.set("dory.json", JSON.stringify(document)).set("package-lock.json", "{}"));
}

/** Runs dory in a folder; the values of secrets come in a file, so that no environment has them. */
export async function dory(cwd: string, args: string[], variables: string) {
  const file = join(temporaryFolder(), "variables");
  writeFileSync(file, variables);
  const bin = join(repository, "tool/bin/dory.js");
  const secrets = args[0] === "publish" ? ["--env-file", file] : [];
  return execute(process.execPath, [bin, ...args, ...secrets], { cwd });
}
