import { randomUUIDv7 } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, StartError } from "../config.ts";
import type { Creation } from "../creation.ts";
import { columns, type NewItem } from "../item.ts";
import { log } from "../log.ts";
import { type Page, unknownCursor } from "../page.ts";
import { unavailable } from "../problem.ts";
import { pageOf, type Row, replayOf, type Store } from "./store.ts";

const fields = Object.entries(columns);

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS items (
    insert_order INTEGER PRIMARY KEY AUTOINCREMENT,
    id text NOT NULL UNIQUE,
    ${fields.map(([field, type]) => `"${field}" ${type},`).join(" ")}
    created_at text NOT NULL,
    idempotency_key text UNIQUE
  )`;

const json = `json_object('id', id, ${fields.map(([field]) => `'${field}', "${field}",`).join(" ")} 'createdAt', created_at)`;

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

/** Relative paths are kept relative to where the process was started, which a URL parser would not do. */
function pathOf(url: string): string {
  return url.startsWith("file:/") ? fileURLToPath(url) : resolve(url.slice("file:".length));
}

class SqliteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #patience: number;
  readonly #firstPage;
  readonly #pageAfter;
  readonly #insert;
  readonly #byKey;
  #waiting: { creation: Creation; settle: PromiseWithResolvers<string> }[] = [];

  constructor(db: DatabaseSync, patience: number) {
    this.#db = db;
    this.#patience = patience;
    const page = (where: string) =>
      db.prepare(`SELECT id, ${json} AS item FROM items ${where} ORDER BY insert_order DESC LIMIT ?`);
    this.#firstPage = page("");
    this.#pageAfter = page("WHERE insert_order < (SELECT insert_order FROM items WHERE id = ?)");
    this.#byKey = db.prepare(`SELECT ${json} AS item FROM items WHERE idempotency_key = ?`);
    this.#insert = db.prepare(
      `INSERT INTO items (id, ${fields.map(([field]) => `"${field}",`).join(" ")} created_at, idempotency_key)
        VALUES (?, ${fields.map(() => "?,").join(" ")} ?, ?) ON CONFLICT (idempotency_key) DO NOTHING`,
    );
  }

  async list({ limit, cursor }: Page): Promise<string> {
    const rows = await this.#run(() =>
      cursor ? this.#pageAfter.all(cursor, limit + 1) : this.#firstPage.all(limit + 1),
    );
    if (cursor && rows.length === 0) throw unknownCursor();
    return pageOf(rows as unknown as Row[], limit);
  }

  /** Creations that wait together share one transaction: a disk flush for each would cost most of the throughput. */
  create(creation: Creation): Promise<string> {
    const settle = Promise.withResolvers<string>();
    if (this.#waiting.push({ creation, settle }) === 1) setImmediate(() => this.#createWaiting());
    return settle.promise;
  }

  async #createWaiting(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = await this.#run(() =>
        this.#transaction(() => batch.map(({ creation }) => this.#createOne(creation))),
      );
      for (const [index, outcome] of outcomes.entries()) batch[index]?.settle.resolve(Promise.try(outcome));
    } catch (error) {
      for (const { settle } of batch) settle.reject(error);
    }
  }

  #createOne({ item, idempotencyKey }: Creation): () => string {
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    const values = fields.map(([field]) => item[field as keyof NewItem]);
    const { changes } = this.#insert.run(made.id, ...values, made.createdAt, idempotencyKey ?? null);
    if (changes === 1) return () => JSON.stringify(made);
    const { item: stored } = this.#byKey.get(idempotencyKey ?? null) as { item: string };
    return () => replayOf(stored, item);
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

  async ping(): Promise<void> {
    await this.#run(() => this.#firstPage.get(1));
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  async #run<T>(work: () => T): Promise<T> {
    try {
      return await patiently(this.#patience, work);
    } catch (error) {
      if (isBug(error)) throw error;
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  }
}

/** Waits for another process's lock without blocking the event loop, which `node:sqlite` would. */
async function patiently<T>(patience: number, work: () => T): Promise<T> {
  for (const deadline = Date.now() + patience; ; await sleep(10)) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || Date.now() > deadline) throw error;
    }
  }
}

/** SQLite's result codes: https://sqlite.org/rescode.html */
const [ERROR, BUSY, LOCKED, CONSTRAINT, MISMATCH, MISUSE] = [1, 5, 6, 19, 20, 21] as const;

function isLocked(error: unknown): boolean {
  return new Set<number>([BUSY, LOCKED]).has(resultCode(error));
}

/** Whatever else SQLite says, of a full disk or a file that cannot be written, may pass. */
function isBug(error: unknown): boolean {
  return new Set<number>([0, ERROR, CONSTRAINT, MISMATCH, MISUSE]).has(resultCode(error));
}

/** The primary result code, without what an extended one adds; 0 for an error that is not SQLite's. */
function resultCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}
