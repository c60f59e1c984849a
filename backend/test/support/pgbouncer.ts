import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "../../kit/test/backend.ts";
import { isRoot } from "../../kit/test/embedded-postgres.ts";
import { eventually } from "../../kit/test/eventually.ts";

const path = `${process.env["PATH"]}:/usr/sbin`;

/** The program of each version: of the one that `PGBOUNCER` names, or of those that are installed, also by `scripts/pgbouncer`. */
const named = process.env["PGBOUNCER"];
export const programs = findVersions(named ? [named] : ["pgbouncer", ...globSync("/opt/pgbouncer/*/pgbouncer").sort()]);

function findVersions(candidates: string[]): Map<string, string> {
  const versions = candidates.map((program) => {
    const { stdout } = spawnSync(program, ["--version"], { env: { PATH: path }, encoding: "utf8" });
    return [/^PgBouncer (\S+)/.exec(stdout)?.[1], program] as const;
  });
  return new Map(versions.filter((found): found is [string, string] => found[0] !== undefined));
}

/** Why tests of poolers are skipped; false if they run. */
export const missing = programs.size > 0 ? false : "PgBouncer is not installed";

/** PgBouncer keeps prepared statements since 1.21. */
export const keepsPrepared = (version: string) => version.localeCompare("1.21", "en", { numeric: true }) >= 0;

const [first = ""] = programs.values();

/** Settings of PgBouncer. */
export type Settings = Record<string, string | number>;

/** PgBouncer in transaction mode, in front of a PostgreSQL server. It ends with the process. */
export class PgBouncer {
  readonly #port: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  /** As most hosted databases are set up; `settings` are added, or replace those. */
  static async start(server: string, settings: Settings = {}, program = first): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(server);
    const own = await findFreePort();
    const all = {
      listen_addr: "127.0.0.1",
      listen_port: own,
      unix_socket_dir: "",
      auth_type: "any",
      pool_mode: "transaction",
      default_pool_size: 5,
      max_client_conn: 100,
      ...settings,
    };
    const folder = temporaryFolder();
    const file = join(folder, "pgbouncer.ini");
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    const database = `* = host=${hostname} port=${port} user=${username} password=${password}`;
    writeFileSync(file, `[databases]\n${database}\n[pgbouncer]\n${lines.join("\n")}\n`);
    for (const readable of [folder, file]) chmodSync(readable, 0o755);
    const args = ["-q", ...(isRoot ? ["-u", "nobody"] : []), file];
    const child = spawn(program, args, { env: { PATH: path }, stdio: "ignore" });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.off("exit", kill));
    await eventually(() => isOpen(own), "PgBouncer to listen");
    return new PgBouncer(child, own);
  }

  /** The URL of a database by way of the pooler. */
  through(url: string): string {
    return Object.assign(new URL(url), { port: this.#port }).href;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGINT");
    if (this.#process.exitCode === null) await once(this.#process, "exit");
  }
}

function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
