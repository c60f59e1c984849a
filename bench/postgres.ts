import { readdirSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { Postgres } from "../backend/kit/test/postgres.ts";
import { missing, PgBouncer } from "../backend/test/support/pgbouncer.ts";
import type { Bundles } from "./bundle.ts";
import { seeded } from "./load.ts";
import { hasCpuTime, Server, ticksPerSecond } from "./server.ts";

type Database = { DATABASE_URL: string };

/** Settings with which every commit is flushed to disk. */
export const durable = ["fsync=on", "synchronous_commit=on", "shared_buffers=256MB"];

/** A PostgreSQL server that flushes every commit to disk, with a pooler in front of it if there is one. */
export class DurablePostgres {
  readonly #postgres: Postgres;
  readonly #postmaster: number;
  readonly #pooler: PgBouncer | undefined;
  /** Our database and that of a hand-written backend, with items. */
  readonly ours: Database;
  readonly byHand: Database;

  private constructor(
    postgres: Postgres,
    postmaster: number,
    pooler: PgBouncer | undefined,
    [ours, byHand]: [Database, Database],
  ) {
    this.#postgres = postgres;
    this.#postmaster = postmaster;
    this.#pooler = pooler;
    this.ours = ours;
    this.byHand = byHand;
  }

  static async start({ project, handWrittenPostgres }: Bundles): Promise<DurablePostgres> {
    const postgres = await Postgres.start(durable);
    const pooler = missing
      ? undefined
      : await PgBouncer.start(postgres.url, { default_pool_size: 20, max_client_conn: 500 });
    const databases = await Promise.all([project, handWrittenPostgres].map((bundle) => seed(postgres, bundle)));
    return new DurablePostgres(postgres, await findPostmaster(postgres.url), pooler, databases as [Database, Database]);
  }

  async createEmpty(): Promise<Database> {
    return { DATABASE_URL: await this.#postgres.database() };
  }

  /** The same database by way of the pooler. */
  pooled({ DATABASE_URL }: Database): Database {
    if (!this.#pooler) throw new Error("there is no pooler");
    return { DATABASE_URL: this.#pooler.through(DATABASE_URL) };
  }

  /** The CPU seconds of all its processes, also of those that have ended, and of the pooler. */
  cpuSeconds(): number {
    return readCpuSeconds(this.#postmaster) + (this.#pooler ? readOwnSeconds(this.#pooler.pid) : 0);
  }

  async stop(): Promise<void> {
    await this.#pooler?.stop();
    await this.#postgres.stop();
  }
}

/** The CPU seconds of all processes of a server, also of those that have ended. */
export function readCpuSeconds(postmaster: number): number {
  if (!hasCpuTime) return Number.NaN;
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(readStat);
  const own = all.filter(({ parent }) => parent === postmaster).map(({ pid }) => readOwnSeconds(pid));
  const ended = all.find(({ pid }) => pid === postmaster)?.ended ?? 0;
  return own.reduce((sum, one) => sum + one, ended);
}

/** The CPU seconds of a process with one thread, in nanoseconds: there are many of them, and a tick is long. */
function readOwnSeconds(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e9;
  } catch {
    return 0;
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readStat(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")")).split(" ").map(Number);
    const [, , parent = 0] = fields;
    const [endedUser = 0, endedSystem = 0] = fields.slice(14, 16);
    return { pid: Number(pid), parent, ended: (endedUser + endedSystem) / ticksPerSecond };
  } catch {
    return { pid: Number(pid), parent: 0, ended: 0 };
  }
}

/** A database with items, whose table the server creates. Their ids are those of `toId`. */
async function seed(postgres: Postgres, bundle: string): Promise<Database> {
  const DATABASE_URL = await postgres.database();
  const server = await Server.start(bundle, "/items", { DATABASE_URL });
  await server.stop();
  await insertItems(DATABASE_URL, seeded);
  return { DATABASE_URL };
}

export async function insertItems(url: string, count: number): Promise<void> {
  const hex = (value: string, length: number) => `lpad(to_hex(${value}), ${length}, '0')`;
  await query(
    url,
    `INSERT INTO items (id, name, created_at)
     SELECT (${hex("n / 65536", 8)} || '-' || ${hex("n % 65536", 4)} || '-7000-8000-' || ${hex("n", 12)})::uuid,
       'Item number ' || lpad(n::text, 8, '0'), '2026-01-01T00:00:00.000Z'
     FROM generate_series(1, ${count}) n`,
  );
  await query(url, "VACUUM ANALYZE items");
}

export async function findPostmaster(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const { parent } = readStat(String(rows[0]?.pid));
  await client.end();
  return parent;
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}
