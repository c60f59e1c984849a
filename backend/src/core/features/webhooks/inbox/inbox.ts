import type { Source } from "../sources.ts";

declare module "../../../store/store.ts" {
  interface Store {
    /** Where events wait to be handled. */
    inbox: Inbox;
  }
}

/** What an inbox needs from a database. */
export interface InboxDatabase {
  /**
   * Its name of the table; its SQL for an automatic row number, a column of bytes, the time in ms, skipping locked rows,
   * and counting the looks of all processes.
   */
  dialect: { table: string; number: string; bytes: string; now: string; skipLocked: string; countLook: string };
  /** Creates the table, once the database is open. */
  make(script: string): void;
  read(sql: string, values?: unknown[]): Promise<unknown[][]>;
  /** Resolves once it is durable. */
  write(sql: string, values: unknown[]): Promise<unknown[][]>;
}

export interface NewEvent {
  source: Source;
  id: string;
  type: string;
  body: Buffer;
}

/** An event that a process is handling. No other process gets it until the lease ends. */
export interface Claimed extends NewEvent {
  number: number;
  attempt: number;
  receivedAt: Date;
}

/** An event whose attempts have all failed. */
export interface Parked extends Omit<Claimed, "attempt"> {
  attempts: number;
  parkedAt: Date;
  error: string;
}

/**
 * Where events wait. An event is due (`due_at`), handled or parked. A process that claims it moves `due_at` to the end
 * of a lease, so that it is due again if the process is killed; `attempts` shows whether the claim is still the latest.
 */
export class Inbox {
  readonly #database: InboxDatabase;
  readonly #sql: ReturnType<typeof createStatements>;

  constructor(database: InboxDatabase) {
    this.#database = database;
    this.#sql = createStatements(database.dialect);
    database.make(this.#sql.make);
  }

  /** Stores an event; false if its delivery was accepted before. */
  async accept({ source, id, type, body }: NewEvent): Promise<boolean> {
    return (await this.#database.write(this.#sql.insert, [source, id, type, body])).length > 0;
  }

  /** Whether an event is due, and how often all processes have looked so far. */
  async look(): Promise<{ isDue: boolean; looks: number }> {
    const [[looks, due] = []] = await this.#database.read(this.#sql.look);
    return { isDue: due !== null, looks: Number(looks) };
  }

  /** Claims some of the due events, the oldest first. */
  async claim(limit: number, leaseMs: number): Promise<Claimed[]> {
    // Without a due event nothing is written.
    if ((await this.#database.read(this.#sql.isDue)).length === 0) return [];
    const rows = await this.#database.write(this.#sql.claim, [leaseMs, limit]);
    return rows.map(([attempt, ...event]) => ({ ...toEvent(event), attempt: Number(attempt) }));
  }

  /** A handled event is kept without its body, to recognise a repeated delivery. */
  async finish({ number, attempt }: Claimed): Promise<void> {
    await this.#database.write(this.#sql.finish, [number, attempt]);
  }

  async postpone({ number, attempt }: Claimed, pauseMs: number, error: string): Promise<void> {
    await this.#database.write(this.#sql.postpone, [pauseMs, error, number, attempt]);
  }

  async park({ number, attempt }: Claimed, error: string): Promise<void> {
    await this.#database.write(this.#sql.park, [error, number, attempt]);
  }

  /** Deletes some of the events that were handled so many days ago; returns how many. */
  async prune(days: number, limit: number): Promise<number> {
    const age = days * 86_400_000;
    if ((await this.#database.read(this.#sql.isOld, [age])).length === 0) return 0;
    return (await this.#database.write(this.#sql.prune, [age, limit])).length;
  }

  /** The parked events, the latest first. */
  async listParked(limit: number): Promise<Parked[]> {
    return (await this.#database.read(this.#sql.listParked, [limit])).map(toParked);
  }

  async findParked(number: number): Promise<Parked | undefined> {
    return (await this.#database.read(this.#sql.findParked, [number])).map(toParked)[0];
  }

  /** Makes a parked event, or all of them, due again with no attempts made. Returns how many. */
  async retry(number?: number): Promise<number> {
    const { retry, retryAll } = this.#sql;
    const rows = await (number === undefined
      ? this.#database.write(retryAll, [])
      : this.#database.write(retry, [number]));
    return rows.length;
  }

  /** Marks a parked event as handled. */
  async drop(number: number): Promise<number> {
    return (await this.#database.write(this.#sql.drop, [number])).length;
  }
}

function createStatements({ table, number, bytes, now, skipLocked, countLook }: InboxDatabase["dialect"]) {
  const columns = "number, source, id, type, body, received_at";
  const parked = `SELECT attempts, parked_at, error, ${columns} FROM ${table}`;
  const inHand = "number = ? AND attempts = ? AND due_at IS NOT NULL";
  const isDue = `SELECT 1 FROM ${table} WHERE due_at <= ${now} ORDER BY due_at LIMIT 1`;
  const release = `parked_at = NULL, attempts = 0, due_at = ${now}`;
  return {
    make: `
      CREATE TABLE IF NOT EXISTS ${table} (
        number ${number}, source text NOT NULL, id text NOT NULL, type text NOT NULL, body ${bytes} NOT NULL,
        received_at bigint NOT NULL, attempts bigint NOT NULL, error text,
        due_at bigint, handled_at bigint, parked_at bigint, UNIQUE (source, id));
      CREATE INDEX IF NOT EXISTS webhook_events_due ON ${table} (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX IF NOT EXISTS webhook_events_handled ON ${table} (handled_at) WHERE handled_at IS NOT NULL;
      CREATE INDEX IF NOT EXISTS webhook_events_parked ON ${table} (parked_at) WHERE parked_at IS NOT NULL;`,
    insert: `
      INSERT INTO ${table} (source, id, type, body, received_at, due_at, attempts)
      VALUES (?, ?, ?, ?, ${now}, ${now}, 0) ON CONFLICT (source, id) DO NOTHING RETURNING number`,
    look: `SELECT ${countLook}, (${isDue})`,
    isDue,
    claim: `
      UPDATE ${table} SET attempts = attempts + 1, due_at = ${now} + ?
      WHERE number IN (
        SELECT number FROM ${table} WHERE due_at <= ${now} ORDER BY due_at LIMIT ? ${skipLocked}
      ) RETURNING attempts, ${columns}`,
    finish: `UPDATE ${table} SET handled_at = ${now}, due_at = NULL, error = NULL, body = '' WHERE ${inHand}`,
    postpone: `UPDATE ${table} SET due_at = ${now} + ?, error = ? WHERE ${inHand}`,
    park: `UPDATE ${table} SET parked_at = ${now}, due_at = NULL, error = ? WHERE ${inHand}`,
    isOld: `SELECT 1 FROM ${table} WHERE handled_at < ${now} - ? ORDER BY handled_at LIMIT 1`,
    prune: `
      DELETE FROM ${table} WHERE number IN (
        SELECT number FROM ${table} WHERE handled_at < ${now} - ? ORDER BY handled_at LIMIT ? ${skipLocked}
      ) RETURNING number`,
    listParked: `${parked} WHERE parked_at IS NOT NULL ORDER BY parked_at DESC LIMIT ?`,
    findParked: `${parked} WHERE number = ? AND parked_at IS NOT NULL`,
    retry: `UPDATE ${table} SET ${release} WHERE number = ? AND parked_at IS NOT NULL RETURNING number`,
    retryAll: `UPDATE ${table} SET ${release} WHERE parked_at IS NOT NULL RETURNING number`,
    drop: `
      UPDATE ${table} SET parked_at = NULL, handled_at = ${now}, body = ''
      WHERE number = ? AND parked_at IS NOT NULL RETURNING number`,
  };
}

function toEvent([number, source, id, type, body, receivedAt]: unknown[]) {
  return {
    number: Number(number),
    source: source as Source,
    id: String(id),
    type: String(type),
    body: toBuffer(body as Uint8Array),
    receivedAt: new Date(Number(receivedAt)),
  };
}

/** A view of the same bytes, not a copy. */
const toBuffer = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length);

function toParked([attempts, parkedAt, error, ...event]: unknown[]): Parked {
  const when = { attempts: Number(attempts), parkedAt: new Date(Number(parkedAt)) };
  return { ...toEvent(event), ...when, error: String(error ?? "") };
}
