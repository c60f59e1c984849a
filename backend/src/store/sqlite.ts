import { randomUUIDv7 } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, StartError } from "../config.ts";
import { type Creation, type Page, unknownCursor } from "../input.ts";
import { columns, type NewItem } from "../item.ts";
import { log } from "../log.ts";
import { unavailable } from "../problem.ts";
import { pageOf, type Row, replayOf, type Store } from "./store.ts";

const fields = Object.keys(columns) as (keyof NewItem)[];

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS items (
    insert_order INTEGER PRIMARY KEY AUTOINCREMENT,
    id text NOT NULL UNIQUE,
    ${fields.map((field) => `"${field}" ${columns[field]},`).join(" ")}
    created_at text NOT NULL,
    idempotency_key text UNIQUE
  )`;

/** Opens the file that keeps the items; the first start makes it. */
export async function openStore({ databaseUrl, handlerTimeoutMs }: Config): Promise<Store> {
  try {
    const path = pathOf(databaseUrl);
    mkdirSync(dirname(path), { recursive: true });
    const db = new DatabaseSync(path, { timeout: 20 });
    await patiently(handlerTimeoutMs, () => db.exec(schema));
    return new SqliteStore(db, handlerTimeoutMs / 2);
  } catch (error) {
    throw new StartError(`The SQLite file of DATABASE_URL cannot be used: ${(error as Error).message}`);
  }
}

/** A URL parser would take a relative path for one from the root. */
function pathOf(url: string): string {
  return url.startsWith("file:/") ? fileURLToPath(url) : resolve(url.slice("file:".length));
}

interface Waiting {
  creation: Creation;
  settle: PromiseWithResolvers<string>;
}

class SqliteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #patience: number;
  readonly #statements: ReturnType<typeof prepare>;
  #waiting: Waiting[] = [];

  constructor(db: DatabaseSync, patience: number) {
    this.#db = db;
    this.#patience = patience;
    this.#statements = prepare(db);
  }

  async list({ limit, cursor }: Page): Promise<string> {
    const { firstPage, pageAfter } = this.#statements;
    const rows = await this.#run(() => (cursor ? pageAfter.all(cursor, limit + 1) : firstPage.all(limit + 1)));
    if (cursor && rows.length === 0) throw unknownCursor();
    return pageOf(rows as unknown as Row[], limit);
  }

  /** Creations that wait together share one transaction: a flush to disk for each would cost most of the throughput. */
  create(creation: Creation): Promise<string> {
    const settle = Promise.withResolvers<string>();
    if (this.#waiting.push({ creation, settle }) === 1) setImmediate(() => this.#createWaiting());
    return settle.promise;
  }

  async ping(): Promise<void> {
    await this.#run(() => this.#statements.firstPage.get(1));
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  async #createWaiting(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = await this.#run(() => this.#transaction(() => batch.map((one) => this.#insert(one))));
      for (const [settle, outcome] of outcomes) settle.resolve(Promise.try(outcome));
    } catch (error) {
      for (const { settle } of batch) settle.reject(error);
    }
  }

  #insert({ creation: { item, idempotencyKey }, settle }: Waiting): [Waiting["settle"], () => string] {
    const { insert, byKey } = this.#statements;
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    const { changes } = insert.run(
      made.id,
      ...fields.map((field) => item[field]),
      made.createdAt,
      idempotencyKey ?? null,
    );
    if (changes === 1) return [settle, () => JSON.stringify(made)];
    const stored = byKey.get(idempotencyKey ?? null) as unknown as Row;
    return [settle, () => replayOf(stored.item, item)];
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#db.exec("COMMIT");
      return result;
    } finally {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    }
  }

  async #run<T>(work: () => T): Promise<T> {
    try {
      return await patiently(this.#patience, work);
    } catch (error) {
      if (bugs.has(resultCode(error))) throw error;
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  }
}

function prepare(db: DatabaseSync) {
  const names = fields.map((field) => `"${field}",`).join(" ");
  const json = `json_object('id', id, ${fields.map((field) => `'${field}', "${field}",`).join(" ")} 'createdAt', created_at)`;
  const select = (rest: string) => db.prepare(`SELECT id, ${json} AS item FROM items ${rest}`);
  return {
    firstPage: select("ORDER BY insert_order DESC LIMIT ?"),
    pageAfter: select(
      "WHERE insert_order < (SELECT insert_order FROM items WHERE id = ?) ORDER BY insert_order DESC LIMIT ?",
    ),
    byKey: select("WHERE idempotency_key = ?"),
    insert: db.prepare(
      `INSERT INTO items (id, ${names} created_at, idempotency_key)
       VALUES (?, ${"?, ".repeat(fields.length)} ?, ?) ON CONFLICT (idempotency_key) DO NOTHING`,
    ),
  };
}

/** Waits for the lock of another process without blocking the event loop, as SQLite's own waiting would. */
async function patiently<T>(patience: number, work: () => T): Promise<T> {
  for (const deadline = Date.now() + patience; ; await sleep(10)) {
    try {
      return work();
    } catch (error) {
      if (!locks.has(resultCode(error)) || Date.now() > deadline) throw error;
    }
  }
}

/** https://sqlite.org/rescode.html: BUSY and LOCKED. */
const locks = new Set([5, 6]);

/** No code of SQLite's, ERROR, CONSTRAINT, MISMATCH, MISUSE. The rest, like a full disk, may pass. */
const bugs = new Set([0, 1, 19, 20, 21]);

function resultCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}
