import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { log } from "../log.ts";
import {
  describeApplied,
  fail,
  findPending,
  insertAll,
  isNewDatabase,
  type Migration,
  type Recorded,
  readStatements,
  record,
} from "./migrations.ts";

/** What is missing in the tables of the database; nothing, most of the time. */
export type Plan = (db: Client) => Promise<Change[]>;
export type Change = () => Promise<void>;

/** An `ALTER TABLE` that waits for a lock makes everybody wait who comes after it. */
const lockTimeoutMs = 300;
const maxPauseMs = 10_000;

/**
 * Makes what is missing, once, while another release uses the tables. It has connections of its own, because a change may
 * take longer than any request.
 */
export async function changeTables(plans: Plan[], newClient: () => Client): Promise<void> {
  const [db, turn] = [newClient(), newClient()];
  // A lost connection also rejects the query that needs it.
  for (const client of [db, turn]) client.on("error", () => {});
  try {
    await db.connect();
    await liftTimeout(db);
    if (await isComplete(plans, db)) return;
    await turn.connect();
    await takeTurn(turn);
    for (const plan of plans) for (const change of await plan(db)) await change();
  } finally {
    await Promise.allSettled([db.end(), turn.end()]);
  }
}

/** Not behind a pooler, which has processes of its own: the next statement may run on another server connection. */
async function liftTimeout(db: Client): Promise<void> {
  const { processID } = db as Client & { processID: number };
  await db.query(`
    SELECT set_config(name, '0', false) FROM pg_settings
    WHERE name = 'statement_timeout' AND setting <> '0' AND pg_backend_pid() = ${processID}`);
}

async function isComplete(plans: Plan[], db: Client): Promise<boolean> {
  for (const plan of plans) if ((await plan(db)).length > 0) return false;
  return true;
}

/**
 * Waits until no other process changes the tables; the turn ends with the connection. A process that waited within a
 * statement would have a snapshot, and the index that the other one builds would wait for that.
 */
async function takeTurn(db: Client): Promise<void> {
  const text = "SELECT pg_try_advisory_xact_lock(hashtext('tables ' || current_setting('search_path')))";
  for (;;) {
    await db.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
    const { rows } = await db.query<[boolean]>({ text, rowMode: "array" });
    if (rows[0]?.[0]) return;
    // Behind a pooler, a transaction keeps one of the few server connections, which the other process needs.
    await db.query("ROLLBACK");
    await sleep(100);
  }
}

/** Makes a short change. If it does not get its locks at once, it lets the others go first, and tries again. */
export async function changeShortly(db: Client, sql: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await db.query(
        `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${sql}; COMMIT`,
      );
      return;
    } catch (error) {
      await db.query("ROLLBACK");
      if (!isLocked(error)) throw error;
      await pauseForOthers(tries);
    }
  }
}

/** Pauses longer after each try. */
async function pauseForOthers(tries: number): Promise<void> {
  const pauseMs = Math.min(500 * 2 ** tries, maxPauseMs);
  log("warn", "a change of the tables waits for others who use them", { pauseMs });
  await sleep(pauseMs);
}

export async function isEmpty(db: Client, table: string): Promise<boolean> {
  return (await db.query(`SELECT FROM "${table}" LIMIT 1`)).rowCount === 0;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available and deadlock_detected. */
export const isLocked = (error: unknown) => ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");

/** What migrations in PostgreSQL need. */
export interface Migrating {
  /** The tables that the code names. */
  tables: string[];
  readMigrations(): Migration[];
  /** Runs at the beginning of each transaction. */
  begin?(db: Client): Promise<void>;
}

/** What is pending in PostgreSQL: each file in a transaction of its own, one process at a time. */
export async function planMigrations(db: Client, migrating: Migrating): Promise<Change[]> {
  const migrations = migrating.readMigrations();
  const transact = <T>(work: () => Promise<T>) => inTransaction(db, migrating, work);
  const pending = migrations.length > 0 ? findPending(migrations, await transact(() => selectRecord(db))) : [];
  if (pending.length === 0) return [];
  if (isNewDatabase(await transact(() => listTables(db)), migrating.tables, migrations))
    return [() => transact(() => recordAll(db, pending))];
  for (const migration of pending) refuseTransactions(migration);
  return pending.map((migration) => async () => {
    const start = performance.now();
    const { alone } = migration;
    if (alone !== undefined) await runAlone(db, migration, alone);
    await transact(() => (alone === undefined ? apply(db, migration) : recordAll(db, [migration])));
    log("info", "applied a migration", describeApplied(migration, start));
  });
}

/** What was applied in PostgreSQL. */
export async function readRecord(newClient: () => Client, migrating: Migrating): Promise<Recorded[]> {
  const db = newClient();
  // A lost connection also rejects the query that needs it.
  db.on("error", () => {});
  await db.connect();
  return inTransaction(db, migrating, () => selectRecord(db)).finally(() => db.end());
}

async function selectRecord(db: Client): Promise<Recorded[]> {
  const { rows: found } = await db.query(`SELECT to_regclass('${record}') AS found`);
  if (!found[0]?.found) return [];
  const time = `to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS "appliedAt"`;
  return (await db.query(`SELECT number, name, checksum, ${time} FROM ${record} ORDER BY number`)).rows;
}

async function listTables(db: Client): Promise<string[]> {
  const text = `
    SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = current_schema() AND relkind IN ('r', 'p') AND relname <> '${record}'`;
  return (await db.query<[string]>({ text, rowMode: "array" })).rows.flat();
}

/** The lock makes another process wait, even if this one has lost its turn. */
async function lockRecord(db: Client): Promise<void> {
  await db.query(`
    CREATE TABLE IF NOT EXISTS ${record} (
      number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
    );
    LOCK TABLE ${record} IN SHARE ROW EXCLUSIVE MODE`);
}

async function recordAll(db: Client, migrations: Migration[]): Promise<void> {
  await lockRecord(db);
  await db.query(insertAll(migrations).join(" "));
}

/** In a transaction that waits for locks only shortly, and then tries again. */
async function inTransaction<T>(db: Client, { begin }: Migrating, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      await db.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = 0`);
      await begin?.(db);
      const result = await work();
      await db.query("COMMIT");
      return result;
    } catch (error) {
      await db.query("ROLLBACK");
      if (!isLocked(error)) throw error;
      await pauseForOthers(tries);
    }
  }
}

/** A `COMMIT` would leave half of a file without a record. */
function refuseTransactions(migration: Migration): void {
  const statements = readStatements(migration.text);
  const isBody = statements.some((statement) => /\bbegin atomic\b/i.test(statement));
  const ends = /^(begin|start transaction|commit|rollback(?! to\b)|abort|end|prepare transaction)\b/i;
  const found = statements.find((one) => ends.test(one) && !(isBody && /^end\b/i.test(one)));
  if (found) fail(migration, "", `${found} is not for a migration, which is one transaction anyway; remove it`);
}

async function apply(db: Client, migration: Migration): Promise<void> {
  await lockRecord(db);
  const { rowCount } = await db.query(`SELECT FROM ${record} WHERE number = ${migration.number}`);
  if (rowCount !== 0) return;
  await db.query(migration.text).catch((error) => explain(migration, error));
  await db.query(insertAll([migration]).join(""));
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: what is not the fault of the file is tried again later. */
function explain(migration: Migration, error: Error & { code?: string; position?: string }): never {
  if (isLocked(error) || !/^(0A|2[1-8BD]|3|4[24]|54|55|P0)\w+$/.test(error.code ?? "") || error.code === "25006")
    throw error;
  const { position } = error;
  const lines = migration.text.slice(0, Number(position ?? 0)).split("\n").length;
  return fail(migration, position ? `, line ${lines}` : "", error.message);
}

/**
 * What a killed process began is finished: of an index that is built concurrently, an invalid rest is dropped first, and a
 * complete one is recorded.
 */
async function runAlone(db: Client, migration: Migration, statement: string): Promise<void> {
  const [, index] = /^create (?:unique )?index concurrently (?:if not exists )?(\S+) on /i.exec(statement) ?? [];
  const isMade = index !== undefined && (await settleIndex(db, index));
  if (!isMade)
    await db.query(migration.text).catch(async (error) => {
      if (index !== undefined) await settleIndex(db, index);
      explain(migration, error);
    });
}

/** Waits until an index is built, and drops what is not valid. Returns whether it exists. */
async function settleIndex(db: Client, name: string): Promise<boolean> {
  const text = `
    SELECT indisvalid AS "isValid",
      EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid) AS "isBuilding"
    FROM pg_index WHERE indexrelid = to_regclass($1)`;
  for (;;) {
    const [found] = (await db.query<{ isValid: boolean; isBuilding: boolean }>(text, [name])).rows;
    if (!found || found.isValid) return found !== undefined;
    if (found.isBuilding) await sleep(1000);
    else await db.query(`DROP INDEX CONCURRENTLY ${name}`);
  }
}
