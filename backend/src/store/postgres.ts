import { randomUUIDv7 } from "node:crypto";
import { Pool } from "pg";
import { type Config, StartError } from "../config.ts";
import type { Creation } from "../creation.ts";
import { columns, type NewItem } from "../item.ts";
import { log } from "../log.ts";
import { type Page, unknownCursor } from "../page.ts";
import { unavailable } from "../problem.ts";
import { pageOf, type Row, replayOf, type Store } from "./store.ts";

const fields = Object.entries(columns);
const names = fields.map(([field]) => `"${field}",`).join(" ");

/** Replicas that start together make the table one after the other: `IF NOT EXISTS` alone lets them collide. */
const schema = `
  BEGIN;
  SELECT pg_advisory_xact_lock(hashtext('items'));
  CREATE TABLE IF NOT EXISTS items (
    insert_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    ${fields.map(([field, type]) => `"${field}" ${type},`).join(" ")}
    created_at timestamptz NOT NULL,
    idempotency_key text UNIQUE
  );
  COMMIT`;

const item = `row_to_json((SELECT item FROM (
  SELECT id, ${names} to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt"
) item))::text AS item`;

const page = (where: string) => `SELECT id, ${item} FROM items ${where} ORDER BY insert_order DESC LIMIT $1`;

const sql = {
  firstPage: page(""),
  pageAfter: page("WHERE insert_order < (SELECT insert_order FROM items WHERE id = $2)"),
  byKey: `SELECT id, ${item} FROM items WHERE idempotency_key = $1`,
  insert: `INSERT INTO items (id, created_at, idempotency_key, ${fields.map(([field]) => `"${field}"`).join()})
    VALUES ($1, $2, $3, ${fields.map((_, index) => `$${index + 4}`).join()}) ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
};

/** Connects to the database. One that is not there yet is waited for; one that says no is a reason not to start. */
export async function openStore({ databaseUrl, handlerTimeoutMs }: Config): Promise<Store> {
  const store = new PostgresStore(databaseUrl, handlerTimeoutMs / 2);
  await store.prepare().catch((error) => {
    if (isRefusal(error)) throw new StartError(`The database of DATABASE_URL cannot be used: ${error.message}`);
    log("warn", "the database cannot be reached yet", { error });
  });
  return store;
}

class PostgresStore implements Store {
  readonly #pool: Pool;
  #prepared: Promise<unknown> | undefined;

  constructor(connectionString: string, patience: number) {
    this.#pool = new Pool({
      connectionString,
      connectionTimeoutMillis: patience,
      statement_timeout: patience,
      query_timeout: patience,
      keepAlive: true,
    });
    this.#pool.on("error", (error) => log("warn", "a database connection was lost", { error }));
  }

  async list({ limit, cursor }: Page): Promise<string> {
    const rows = await (cursor
      ? this.#query(sql.pageAfter, [limit + 1, cursor])
      : this.#query(sql.firstPage, [limit + 1]));
    if (cursor && rows.length === 0) throw unknownCursor();
    return pageOf(rows, limit);
  }

  async create({ item, idempotencyKey }: Creation): Promise<string> {
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    const values = fields.map(([field]) => item[field as keyof NewItem]);
    const [inserted] = await this.#query(sql.insert, [made.id, made.createdAt, idempotencyKey, ...values]);
    if (inserted) return JSON.stringify(made);
    const [stored] = await this.#query(sql.byKey, [idempotencyKey]);
    if (!stored) throw unavailable();
    return replayOf(stored.item, item);
  }

  async ping(): Promise<void> {
    await this.#query("SELECT 1", []);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** Makes the table, once: until it has worked, each use of the store tries again. */
  async prepare(): Promise<void> {
    this.#prepared ??= this.#pool.query(schema);
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  async #query(text: string, values: unknown[]): Promise<Row[]> {
    try {
      await this.prepare();
      return (await this.#pool.query<Row>(text, values)).rows;
    } catch (error) {
      if (isBug(error)) throw error;
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  }
}

/** PostgreSQL's error classes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const isBug = (error: unknown) => /^(22|23|42)/.test(codeOf(error));
const isRefusal = (error: unknown) => /^(28|3D|42)/.test(codeOf(error)) || /^SASL/.test((error as Error).message);
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";
