import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { hasBuildKit } from "../../src/publish/builder.ts";
import { repository, run, temporaryFolder } from "../support.ts";

/** Why tests that need a container engine are skipped; false if one answers. */
export const noEngine = engineAnswers() ? false : "no container engine answers here";

/** A registry that only tests use. */
export const registry = "127.0.0.1:5000";

/** Why nothing can be pushed to the registry, if so. */
export async function noRegistry(): Promise<string | false> {
  const isRunning = await fetch(`http://${registry}/v2/`).then(
    ({ ok }) => ok,
    () => false,
  );
  return isRunning ? false : `no registry answers at ${registry}`;
}

/** Why tests that need Compose are skipped; false if it is there. */
export function noCompose(): string | false {
  return spawnSync("docker", ["compose", "version"]).status === 0 ? false : "there is no Compose 2 here";
}

function engineAnswers(): boolean {
  try {
    execFileSync("docker", ["version"], { stdio: "ignore", timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

const dory = join(repository, "tool/bin/dory.js");

/** A project that an image can be built from, under the name of an application; all of them share the layers of one image. */
export async function newProject(name: string, ...flags: string[]): Promise<string> {
  const folder = join(temporaryFolder(), name);
  cpSync(await sharedProject(flags), folder, { recursive: true });
  // Always the same id: what an earlier run left behind can be removed.
  change(folder, "dory.json", (request) => Object.assign(request, { name, id: "0123456789abcdef" }));
  await run(folder, "git", "init", "-q");
  await run(folder, "git", "add", "-A");
  await run(folder, "git", "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-qm", "First");
  return folder;
}

/** One project of a kind for all files of a run. */
async function sharedProject(flags: string[]): Promise<string> {
  const parent = join(process.env["TEST_RUN_FOLDER"] ?? temporaryFolder(), `project${flags.join("")}`);
  const [made, making] = [join(parent, "made"), join(parent, "making")];
  mkdirSync(parent, { recursive: true });
  try {
    mkdirSync(making);
  } catch {
    while (!existsSync(made)) await sleep(200);
    return made;
  }
  const how = ["--framework", "hono", ...flags, "--no-install", "--no-git"];
  await run(making, process.execPath, dory, "new", "api", ...how);
  await run(join(making, "api"), "npm", "install", "--package-lock-only", "--no-audit", "--no-fund");
  // The classic builder makes equal layers twice if files build at the same time, and then takes the newer ones from its cache.
  if (!noEngine && !(await hasBuildKit())) await run(join(making, "api"), "docker", "build", "-q", ".");
  renameSync(join(making, "api"), made);
  return made;
}

/** Changes a JSON file of a project. */
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
export function change(folder: string, file: string, edit: (document: any) => void): void {
  const path = join(folder, file);
  const document = JSON.parse(readFileSync(path, "utf8"));
  edit(document);
  writeFileSync(path, JSON.stringify(document, null, 2));
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface How {
  node?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
}

/** A `dory` that runs; its JSON events can be waited for. */
export class Dory {
  readonly process: ChildProcess;
  readonly #ended: Promise<Ended>;
  readonly #steps = new Map<string, () => void>();
  #begun = new Set<string>();

  constructor(folder: string, args: string[], { node = process.execPath, env = {}, input }: How = {}) {
    const child = spawn(node, [dory, ...args], { cwd: folder, env: { ...process.env, ...env } });
    this.process = child;
    const ended = { code: null as number | null, stdout: "", stderr: "" };
    createInterface(child.stdout).on("line", (line) => {
      ended.stdout += `${line}\n`;
      this.#note(line);
    });
    child.stderr.on("data", (text) => (ended.stderr += text));
    child.stdin.end(input ?? "");
    this.#ended = once(child, "close").then(([code]) => ({ ...ended, code }));
  }

  #note(line: string): void {
    const [, step = ""] = /"event":"step","step":"(\w+)".*"state":"started"/.exec(line) ?? [];
    this.#begun.add(step);
    this.#steps.get(step)?.();
  }

  /** Resolves when a step begins, or when the command has ended without it. */
  async reached(step: string): Promise<void> {
    if (this.#begun.has(step)) return;
    await Promise.race([new Promise<void>((resolve) => this.#steps.set(step, resolve)), this.#ended]);
  }

  /** Kills it. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#ended;
  }

  ended(): Promise<Ended> {
    return this.#ended;
  }
}

export function runDory(folder: string, args: string[], how: How = {}): Promise<Ended> {
  return new Dory(folder, args, how).ended();
}

export async function docker(...args: string[]): Promise<string> {
  return (await run(repository, "docker", ...args)).trim();
}

export async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Runs a function under load, and stops the load even if it fails. Returns the number of answers of each kind. */
export async function underLoad(url: string, work: () => Promise<void>): Promise<Record<string, number>> {
  const load = new Load(url);
  try {
    await work();
  } finally {
    await load.stop();
  }
  return load.answers;
}

export function onlyGood(answers: Record<string, number>): void {
  assert.deepEqual(Object.keys(answers).sort(), ["GET 200", "POST 201"], JSON.stringify(answers));
}

/** Sends requests without a pause, on kept and on new connections, until it is stopped. */
class Load {
  readonly answers: Record<string, number> = {};
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: Promise<void>[];
  #isStopped = false;

  constructor(url: string) {
    this.#clients = Array.from({ length: 8 }, (_, index) => this.#client(url, index));
  }

  async stop(): Promise<Record<string, number>> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
    return this.answers;
  }

  async #client(url: string, index: number): Promise<void> {
    const method = index % 2 === 0 ? "GET" : "POST";
    const agent = index < 6 ? this.#agent : false;
    while (!this.#isStopped) {
      const answer = `${method} ${await this.#ask(url, method, agent)}`;
      this.answers[answer] = (this.answers[answer] ?? 0) + 1;
      // Enough requests to hit every moment of a switch, without using the whole machine.
      await new Promise((resolve) => setTimeout(resolve, 20 * (index + 1)));
    }
  }

  #ask(url: string, method: string, agent: Agent | false): Promise<string> {
    return new Promise((resolve) => {
      const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
      const sent = request(`${url}/items`, { method, agent, headers, timeout: 10_000 }, (answer) => {
        answer.resume().once("end", () => resolve(String(answer.statusCode)));
        answer.once("error", () => resolve("cut off"));
      });
      sent.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "failed"));
      sent.once("timeout", () => sent.destroy(new Error("late")));
      sent.end(method === "POST" ? '{"name":"Boat"}' : undefined);
    });
  }
}

/** Removes everything that publishing an application made. */
export async function unpublish(folder: string, ...flags: string[]): Promise<void> {
  const { code, stdout, stderr } = await runDory(folder, ["unpublish", "--delete-data", "--yes", "--wait", ...flags]);
  if (code !== 0) throw new Error(`unpublish failed:\n${stdout}${stderr}`);
}
