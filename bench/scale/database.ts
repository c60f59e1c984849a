import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { Postgres } from "../../backend/kit/test/postgres.ts";
import { durable, findPostmaster, readCpuSeconds } from "../postgres.ts";

const sampleMs = 20;

/** A PostgreSQL server that counts what is done with it. */
export class ObservedPostgres {
  readonly #postgres: Postgres;
  readonly #postmaster: number;
  readonly #client: Client;

  private constructor(postgres: Postgres, postmaster: number, client: Client) {
    this.#postgres = postgres;
    this.#postmaster = postmaster;
    this.#client = client;
  }

  static async start(): Promise<ObservedPostgres> {
    const postgres = await Postgres.start([...durable, "shared_preload_libraries=pg_stat_statements"]);
    const client = new Client(postgres.url);
    await client.connect();
    await client.query("CREATE EXTENSION pg_stat_statements");
    return new ObservedPostgres(postgres, await findPostmaster(postgres.url), client);
  }

  createDatabase(): Promise<string> {
    return this.#postgres.database();
  }

  cpuSeconds(): number {
    return readCpuSeconds(this.#postmaster);
  }

  /** How many statements a database has run, of a transaction its begin and end, too. */
  async countStatements(url: string): Promise<number> {
    const text = `
      SELECT coalesce(sum(calls), 0)::int AS calls
      FROM pg_stat_statements JOIN pg_database ON dbid = oid WHERE datname = $1`;
    return (await this.#client.query<{ calls: number }>(text, [findName(url)])).rows[0]?.calls ?? 0;
  }

  /** Does something, and returns the most connections and the most waits for a lock that a database had meanwhile. */
  async watch<T>(url: string, work: () => Promise<T>): Promise<{ result: T; connections: number; waits: number }> {
    let [isOver, connections, waits] = [false, 0, 0];
    const text = `
      SELECT count(*)::int AS connections, (count(*) FILTER (WHERE wait_event_type = 'Lock'))::int AS waits
      FROM pg_stat_activity WHERE datname = $1`;
    const sample = async () => {
      while (!isOver) {
        const [now] = (await this.#client.query<{ connections: number; waits: number }>(text, [findName(url)])).rows;
        connections = Math.max(connections, now?.connections ?? 0);
        waits = Math.max(waits, now?.waits ?? 0);
        await sleep(sampleMs);
      }
    };
    const sampling = sample();
    const result = await work().finally(() => {
      isOver = true;
    });
    await sampling;
    return { result, connections, waits };
  }

  async stop(): Promise<void> {
    await this.#client.end();
    await this.#postgres.stop();
  }
}

const findName = (url: string) => new URL(url).pathname.slice(1);

/** The first value of the first row. */
export async function readNumber(url: string, text: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
  await client.end();
  return Number(rows[0]?.[0]);
}
