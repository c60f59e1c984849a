import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { apiTokens } from "../suite/auth/tokens.ts";
import { corsOrigins } from "../suite/cors/origins.ts";
import { webhookSecrets } from "../suite/webhooks/senders.ts";
import { buildIfStale, bundleFile } from "./bundle.ts";

export type Environment = NodeJS.Dict<string>;

const children = new Set<ChildProcess>();
const folders = new Set<string>();

let isWatching = false;

/** Nothing is left when the tests end. */
function watchExit(): void {
  if (isWatching) return;
  isWatching = true;
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL");
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
}

/** A backend in its own process, from the bundled file, as in production. */
export class Backend {
  readonly url: string;
  /** The JSON lines it has logged so far. */
  readonly logged: string[];
  readonly process: ChildProcess;
  readonly #exit: Promise<unknown>;

  private constructor(process: ChildProcess, url: string, logged: string[]) {
    this.process = process;
    this.url = url;
    this.logged = logged;
    this.#exit = once(process, "close");
  }

  /** Starts a backend on a free port, with the command `through` if there is one; resolves when it listens. */
  static async start(env: Environment, through: string[] = []): Promise<Backend> {
    const child = await launch({ PORT: "0", HOST: "127.0.0.1", ...env }, through);
    const logged: string[] = [];
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += chunk));
    const listening = Promise.withResolvers<string>();
    createInterface(child.stdout).on("line", (line) => {
      logged.push(line);
      if (line.includes('"message":"listening"')) listening.resolve(`http://127.0.0.1:${JSON.parse(line).port}`);
    });
    child.once("close", (code) =>
      listening.reject(new Error(`the backend did not start and ended with ${code}:\n${logged.join("\n")}${stderr}`)),
    );
    return new Backend(child, await listening.promise, logged);
  }

  /** Sends a signal and resolves with the exit code, which is null if the signal itself ended the process. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.process.kill(signal);
    return this.exit();
  }

  async exit(): Promise<number | null> {
    await this.#exit;
    return this.process.exitCode;
  }

  /** Otherwise a backend that a failed test left running would keep the test process alive. */
  [Symbol.dispose](): void {
    this.process.kill("SIGKILL");
  }
}

/** Runs a backend that is expected to refuse to start; it is killed if it starts. */
export async function refusal(env: Environment): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = await launch({ PORT: "0", HOST: "127.0.0.1", ...env });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (output.stdout += chunk));
  child.stderr.on("data", (chunk) => (output.stderr += chunk));
  const giveUp = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [code] = await once(child, "close");
  clearTimeout(giveUp);
  return { code, ...output };
}

async function launch(env: Environment, through: string[] = []) {
  if (through.length === 0) await buildIfStale();
  const [command = process.execPath, ...args] = [...through, process.execPath, bundleFile];
  const child = spawn(command, args, {
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...apiTokens,
      ...corsOrigins,
      ...webhookSecrets,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  watchExit();
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** An empty folder that is removed when the tests end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "backend-"));
  watchExit();
  folders.add(folder);
  return folder;
}
