import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { log } from "../log.ts";

/** What is missing in the tables of the database; nothing, most of the time. */
export type Plan = (db: Client) => Promise<Change[]>;
export type Change = () => Promise<void>;

/** An `ALTER TABLE` that waits for a lock makes everybody wait who comes after it. */
export const lockTimeoutMs = 300;
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
export async function pauseForOthers(tries: number): Promise<void> {
  const pauseMs = Math.min(500 * 2 ** tries, maxPauseMs);
  log("warn", "a change of the tables waits for others who use them", { pauseMs });
  await sleep(pauseMs);
}

export async function isEmpty(db: Client, table: string): Promise<boolean> {
  return (await db.query(`SELECT FROM "${table}" LIMIT 1`)).rowCount === 0;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available and deadlock_detected. */
export const isLocked = (error: unknown) => ["55P03", "40P01"].includes((error as { code?: string }).code ?? "");
