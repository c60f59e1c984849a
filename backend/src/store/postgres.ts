import { randomUUIDv7 } from "node:crypto";
import type { Pool } from "pg";
import { postgresEdits, postgresTables } from "../features/item-routes/store/postgres.ts";
import { explainReferences } from "../features/item-routes/store/relations.ts";
import { listingOn } from "../features/item-routes/store/rows.ts";
import { explainTaken } from "../features/item-routes/store/unique.ts";
import { postgresInbox } from "../features/webhooks/inbox/postgres.ts";
import { log } from "../log.ts";
import { unavailable } from "../problem.ts";
import type { Resource } from "../resource.ts";
import { StartError } from "../start-error.ts";
import { explainMissing, foreignKeys } from "./relations/postgres.ts";
import { makeSchema } from "./schema.ts";
import { maxPageBytes, newColumns, pageOf, replayOf, type Store, type StoreConfig, type Table } from "./store.ts";
import { uniqueConstraints } from "./unique/postgres.ts";
import { refuseTaken } from "./unique/unique.ts";

export const protocols = ["postgres:", "postgresql:"];
export const defaultUrl = undefined;

/** The store in PostgreSQL. It waits for a server that cannot be reached; one that refuses access is a start error. */
export function createStore({ databaseUrl, handlerTimeoutMs }: StoreConfig): Store {
  const tables: ((pool: Pool) => Promise<void>)[] = [];
  let pool: Pool;
  let prepared: Promise<unknown> | undefined;
  tables.push(makeSchema);

  const makeTables = async () => {
    for (const make of tables) await make(pool);
  };

  /** Until the tables could be created, every use of the store tries again. */
  const prepare = async () => {
    prepared ??= makeTables().catch((error) => {
      prepared = undefined;
      throw error;
    });
    await prepared;
  };

  const query: Query = async (text, values) => {
    try {
      await prepare();
      return (await pool.query({ text, values, rowMode: "array" })).rows;
    } catch (error) {
      if (isBug(error)) throw error;
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  };

  return {
    table(resource) {
      tables.push((pool) => makeTable(pool, resource));
      const table = tableOf(resource, async (text, values) => (await query<string>(text, values)).flat());
      explainMissing(table, resource, query);
      explainTaken(table.rows, resource, query);
      explainReferences(table.rows, resource, query);
      table.list = listingOn(table.list, resource.name, query);
      return table;
    },
    inbox: () => postgresInbox({ onOpen: (make) => void tables.push(make), query }),
    async open() {
      // Loaded here, because it would take most of the startup time of a process that does not use it.
      const { Pool } = await import("pg");
      const patience = handlerTimeoutMs / 2;
      const timeouts = { connectionTimeoutMillis: patience, query_timeout: patience, statement_timeout: patience };
      try {
        pool = new Pool({ connectionString: databaseUrl, keepAlive: true, ...timeouts });
        pool.on("error", (error) => log("warn", "a database connection was lost", { error }));
        await prepare();
      } catch (error) {
        const { message } = error as Error;
        if (isRefusal(error as Error)) throw new StartError(`The database of DATABASE_URL cannot be used: ${message}`);
        log("warn", "the database cannot be reached yet", { error });
      }
    },
    ping: async () => void (await query("SELECT 1", [])),
    close: () => pool.end(),
  };
}

type Query = <Value>(text: string, values: unknown[]) => Promise<Value[][]>;
type QueryText = (text: string, values: unknown[]) => Promise<string[]>;

function tableOf<T extends object>(resource: Resource<T>, query: QueryText): Table<T> {
  const { name, columns } = resource;
  const fields = Object.keys(columns) as (keyof T & string)[];
  const names = fields.map((field) => `"${field}",`).join(" ");
  // A field that was not sent is left out. PostgreSQL's functions for that would also leave out nulls within a field.
  const members = fields.map((field) => `coalesce(',"${field}":' || to_json("${field}")::text, '') ||`).join(" ");
  const select = (rest: string) => `
    SELECT '{"id":"' || id || '"' || ${members} ',"createdAt":"' ||
      to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}' AS item, insert_order
    FROM "${name}" ${rest}`;
  const newestFirst = "ORDER BY insert_order DESC LIMIT $1";
  // The database sends at most one item more than fits on a page.
  const within = (page: string) => `
    SELECT item FROM (
      SELECT item, insert_order, sum(octet_length(item)) OVER (ORDER BY insert_order DESC) - octet_length(item) AS before
      FROM (${page}) page
    ) page WHERE before <= ${maxPageBytes} ORDER BY insert_order DESC`;
  const firstPage = within(select(newestFirst));
  const after = `WHERE insert_order < (SELECT insert_order FROM "${name}" WHERE id = $2) ${newestFirst}`;
  const pageAfter = within(select(after));
  const byKey = `SELECT item FROM (${select("WHERE idempotency_key = $1")}) found`;
  const insert = `
    INSERT INTO "${name}" (id, ${names} created_at, idempotency_key)
    VALUES (${[...fields, 1, 2, 3].map((_, index) => `$${index + 1}`).join()})
    ON CONFLICT DO NOTHING RETURNING id`;
  const edits = postgresEdits<T>({
    ...{ resource, query, select, insert, byKey },
    valuesOf: (item) => fields.map((field) => toSql(item[field], columns[field])),
  });

  return {
    async list({ limit, cursor }) {
      const items = await (cursor ? query(pageAfter, [limit + 1, cursor]) : query(firstPage, [limit + 1]));
      return pageOf(items, { limit, cursor });
    },
    async create(item, { idempotencyKey } = { idempotencyKey: undefined }) {
      const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
      const values = fields.map((field) => toSql(item[field], columns[field]));
      const answered = idempotencyKey && (await edits.createOnce(item, made, idempotencyKey));
      if (answered) return answered;
      const [inserted] = await query(insert, [made.id, ...values, made.createdAt, idempotencyKey]);
      if (inserted) return JSON.stringify(made);
      const [stored] = await query(byKey, [idempotencyKey]);
      if (!stored) await refuseTaken(resource, item, (text, value) => query(text, [value]));
      if (!stored) throw unavailable();
      return replayOf(stored, item);
    },
    rows: edits.rows,
  };
}

/** Creates the table, or adds the columns of new fields. Two replicas may add the same column. */
async function makeTable<T extends object>(pool: Pool, resource: Resource<T>): Promise<void> {
  const { name, columns } = resource;
  const fields = Object.entries<string>(columns).map(([field, type]) => `"${field}" ${type},`);
  // Replicas that start at the same time take turns: `IF NOT EXISTS` alone does not prevent a collision.
  await pool.query(`
    BEGIN;
    SELECT pg_advisory_xact_lock(hashtext('${name}'));
    CREATE TABLE IF NOT EXISTS "${name}" (
      insert_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      ${fields.join(" ")}
      created_at timestamptz NOT NULL,
      idempotency_key text UNIQUE
    );
    COMMIT`);
  const text = `
    SELECT attname, format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
    FROM pg_attribute WHERE attrelid = to_regclass('"${name}"') AND attnum > 0 AND NOT attisdropped
      AND attname NOT IN ('insert_order', 'id', 'created_at', 'idempotency_key')`;
  const { rows } = await pool.query<[string, string]>({ text, rowMode: "array" });
  const { rowCount } = await pool.query(`SELECT FROM "${name}" LIMIT 1`);
  const additions = newColumns(resource, rows, rowCount === 1).map(
    ([column, type]) => `ADD COLUMN IF NOT EXISTS "${column}" ${type}`,
  );
  if (additions.length > 0) await pool.query(`ALTER TABLE "${name}" ${additions}`);
  await pool.query(uniqueConstraints(resource));
  await pool.query(foreignKeys(resource));
  await pool.query(postgresTables(resource));
}

/** The driver would write a list as a PostgreSQL array. */
const toSql = (value: unknown, type: string) => (type.startsWith("json") ? JSON.stringify(value) : value);

/** Errors are recognised by the class of their code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";
const isBug = (error: unknown) => /^(22|23|42)/.test(codeOf(error));
const isRefusal = (error: Error & { syscall?: string }) =>
  /^(23|28|3D|42|ERR_)/.test(codeOf(error)) || error.syscall === "open" || /^(SASL|column )/.test(error.message);
