import { randomUUIDv7 } from "node:crypto";
import { type Config, StartError } from "../config.ts";
import { columns, type NewItem } from "../item.ts";
import { log } from "../log.ts";
import { unavailable } from "../problem.ts";
import { newColumns, pageOf, replayOf, type Store } from "./store.ts";

export const protocols = ["postgres:", "postgresql:"];
export const defaultUrl = undefined;

const fields = Object.keys(columns) as (keyof NewItem)[];
const names = fields.map((field) => `"${field}",`).join(" ");

/** Replicas that start together take turns: `IF NOT EXISTS` alone lets them collide. */
const schema = `
  BEGIN;
  SELECT pg_advisory_xact_lock(hashtext('items'));
  CREATE TABLE IF NOT EXISTS items (
    insert_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    ${fields.map((field) => `"${field}" ${columns[field]},`).join(" ")}
    created_at timestamptz NOT NULL,
    idempotency_key text UNIQUE
  );
  COMMIT`;
const table = `
  SELECT attname, format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
  FROM pg_attribute WHERE attrelid = to_regclass('items') AND attnum > 0 AND NOT attisdropped
    AND attname NOT IN ('insert_order', 'id', 'created_at', 'idempotency_key')`;

const select = (rest: string) => `
  SELECT json_strip_nulls(row_to_json((SELECT item FROM (
    SELECT id, ${names} to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt"
  ) item)))::text FROM items ${rest}`;

const newestFirst = "ORDER BY insert_order DESC LIMIT $1";
const firstPage = select(newestFirst);
const pageAfter = select(`WHERE insert_order < (SELECT insert_order FROM items WHERE id = $2) ${newestFirst}`);
const byKey = select("WHERE idempotency_key = $1");
const insert = `
  INSERT INTO items (id, ${names} created_at, idempotency_key)
  VALUES (${[...fields, 1, 2, 3].map((_, index) => `$${index + 1}`).join()})
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`;

/** The driver would write a list as an array of PostgreSQL's. */
const toSql = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value);

/** Connects to the database. One that is not there yet is waited for; one that says no is a reason not to start. */
export async function openStore({ databaseUrl, handlerTimeoutMs }: Config): Promise<Store> {
  // Loaded here, since it costs a start that does not use it most of its time.
  const { Pool } = await import("pg");
  const patience = handlerTimeoutMs / 2;
  const timeouts = { connectionTimeoutMillis: patience, query_timeout: patience, statement_timeout: patience };
  const pool = new Pool({ connectionString: databaseUrl, keepAlive: true, ...timeouts });
  pool.on("error", (error) => log("warn", "a database connection was lost", { error }));
  let prepared: Promise<void> | undefined;

  /** Makes the table, or adds the columns of new fields. Two replicas may both find one missing. */
  const makeTable = async () => {
    await pool.query(schema);
    const { rows } = await pool.query<[string, string]>({ text: table, rowMode: "array" });
    const { rowCount } = await pool.query("SELECT FROM items LIMIT 1");
    const additions = newColumns(rows, rowCount === 1).map(
      ([name, type]) => `ADD COLUMN IF NOT EXISTS "${name}" ${type}`,
    );
    if (additions.length > 0) await pool.query(`ALTER TABLE items ${additions}`);
  };

  /** Until the table could be made, every use of the store tries again. */
  const prepare = async () => {
    prepared ??= makeTable().catch((error) => {
      prepared = undefined;
      throw error;
    });
    await prepared;
  };

  const query = async (text: string, values: unknown[]): Promise<string[]> => {
    try {
      await prepare();
      return (await pool.query<string[]>({ text, values, rowMode: "array" })).rows.flat();
    } catch (error) {
      if (isBug(error)) throw error;
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  };

  await prepare().catch((error) => {
    if (isRefusal(error)) throw new StartError(`The database of DATABASE_URL cannot be used: ${error.message}`);
    log("warn", "the database cannot be reached yet", { error });
  });

  return {
    async list({ limit, cursor }) {
      const items = await (cursor ? query(pageAfter, [limit + 1, cursor]) : query(firstPage, [limit + 1]));
      return pageOf(items, { limit, cursor });
    },
    async create({ item, idempotencyKey }) {
      const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
      const values = [made.id, ...fields.map((field) => toSql(item[field])), made.createdAt, idempotencyKey];
      const [inserted] = await query(insert, values);
      if (inserted) return JSON.stringify(made);
      const [stored] = await query(byKey, [idempotencyKey]);
      if (!stored) throw unavailable();
      return replayOf(stored, item);
    },
    ping: async () => void (await query("SELECT 1", [])),
    close: () => pool.end(),
  };
}

/** By the class of the code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";
const isBug = (error: unknown) => /^(22|23|42)/.test(codeOf(error));
const isRefusal = (error: Error & { syscall?: string }) =>
  /^(23|28|3D|42|ERR_)/.test(codeOf(error)) || error.syscall === "open" || /^(SASL|column )/.test(error.message);
