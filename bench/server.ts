import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { apiTokens, credentials } from "../backend/kit/suite/auth/tokens.ts";
import { corsOrigins } from "../backend/kit/suite/cors/origins.ts";
import { webhookSecrets } from "../backend/kit/suite/webhooks/senders.ts";

const host = "127.0.0.1";
const patienceMs = 60_000;
/** Whether the system reports the CPU time of a process, in ticks that are the same on every machine. */
export const hasCpuTime = process.platform === "linux";
export const ticksPerSecond = 100;

/** The secrets that a backend with every feature needs. */
export const required = { ...apiTokens, ...corsOrigins, ...webhookSecrets };

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

/** A server in its own process, as in production; its log goes to /dev/null. */
export class Server {
  readonly port: number;
  /** From the start of the process to its first 200. */
  readonly startMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, startMs: number) {
    this.#child = child;
    this.port = port;
    this.startMs = startMs;
  }

  /** Starts a bundle; resolves when it has answered the path with 200. */
  static async start(bundle: string, path: string, env: Record<string, string> = {}): Promise<Server> {
    return Server.startWith([process.execPath, bundle], await findFreePort(), path, env);
  }

  /** Starts a command that runs a server on the port. */
  static async startWith(command: string[], port: number, path: string, env = {}): Promise<Server> {
    const start = performance.now();
    const [program = "", ...args] = command;
    const child = spawn(program, args, {
      env: { PATH: process.env["PATH"], NODE_ENV: "production", HOST: host, PORT: String(port), ...required, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    await waitForAnswer(child, port, path);
    return new Server(child, port, performance.now() - start);
  }

  /** The CPU seconds that the process has used, in user and system mode. */
  cpuSeconds(): number {
    if (!hasCpuTime) return Number.NaN;
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
    return (Number(user) + Number(system)) / ticksPerSecond;
  }

  /** The memory that the process has, in KiB. */
  memoryKib(): number {
    if (!hasCpuTime) return Number.NaN;
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1]);
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    if (children.has(this.#child)) await once(this.#child, "exit");
  }
}

async function waitForAnswer(child: ChildProcess, port: number, path: string): Promise<void> {
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const deadline = performance.now() + patienceMs;
  while ((await fetchStatus(port, path)) !== 200) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`${child.spawnargs.at(-1)} does not answer. ${stderr}`);
    await sleep(1);
  }
}

function fetchStatus(port: number, path: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  get({ host, port, path, headers: credentials, agent: false }, (res) => {
    res.resume();
    resolve(res.statusCode);
  }).on("error", () => resolve(undefined));
  return promise;
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
