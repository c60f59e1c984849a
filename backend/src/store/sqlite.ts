import { randomUUIDv7 } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, StartError } from "../config.ts";
import type { Creation } from "../input.ts";
import { columns, type NewItem } from "../item.ts";
import { log } from "../log.ts";
import { unavailable } from "../problem.ts";
import { newColumns, pageOf, replayOf, type Store } from "./store.ts";

export const protocols = ["file:"];
export const defaultUrl = "file:./data/items.db";

const fields = Object.keys(columns) as (keyof NewItem)[];
const pairs = fields.map((field) => `'${field}', ${jsonOf(field)},`).join(" ");
const json = `json_object('id', id, ${pairs} 'createdAt', created_at)`;
// A patch leaves out what is null: the fields that were not sent.
const item = Object.values(columns).every((type) => type.endsWith("NOT NULL")) ? json : `json_patch('{}', ${json})`;

const schema = `BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS items (
  insert_order INTEGER PRIMARY KEY AUTOINCREMENT, id text NOT NULL UNIQUE,
  ${fields.map((field) => `"${field}" ${columns[field].replace("double precision", "numeric")},`).join(" ")}
  created_at text NOT NULL, idempotency_key text UNIQUE)`;
const table = `SELECT name, replace(lower(type), 'numeric', 'double precision') || iif("notnull", ' NOT NULL', '')
  FROM pragma_table_info('items') WHERE name NOT IN ('insert_order', 'id', 'created_at', 'idempotency_key')`;

/** SQLite keeps booleans as numbers and lists as text. */
function jsonOf(field: keyof NewItem): string {
  if (columns[field].startsWith("boolean")) return `json(CASE "${field}" WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`;
  return columns[field].startsWith("json") ? `json("${field}")` : `"${field}"`;
}

function toSql(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : ((value ?? null) as SQLInputValue);
}

/** Opens the file that keeps the items; the first start makes it. */
export async function openStore({ databaseUrl, handlerTimeoutMs }: Config): Promise<Store> {
  try {
    // A URL parser would take a relative path for one from the root.
    const path = databaseUrl.startsWith("file:/") ? fileURLToPath(databaseUrl) : resolve(databaseUrl.slice(5));
    mkdirSync(dirname(path), { recursive: true });
    const db = new DatabaseSync(path, { returnArrays: true, timeout: handlerTimeoutMs });
    db.exec(schema);
    const hasItems = db.prepare("SELECT 1 FROM items").get();
    for (const [name, type] of newColumns(db.prepare(table).all() as never, hasItems))
      db.exec(`ALTER TABLE items ADD COLUMN "${name}" ${type.replace("double precision", "numeric")}`);
    db.exec("COMMIT; PRAGMA busy_timeout = 0");
    return await storeIn(db, handlerTimeoutMs / 2);
  } catch (error) {
    throw new StartError(`The SQLite file of DATABASE_URL cannot be used: ${(error as Error).message}`);
  }
}

async function storeIn(db: DatabaseSync, patience: number): Promise<Store> {
  /** Waits for the lock of another process without blocking the event loop, as SQLite's own waiting would. */
  const run = async <T>(work: () => T, deadline = Date.now() + patience): Promise<T> => {
    try {
      return work();
    } catch (error) {
      if (locks.has(resultCode(error)) && Date.now() <= deadline) return sleep(10).then(() => run(work, deadline));
      if (bugs.has(resultCode(error))) throw error;
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  };

  await run(() => db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
  const select = (rest: string) => db.prepare(`SELECT ${item} FROM items ${rest}`);
  // SQLite plans by the value of a bare `?`, and therefore again at every use.
  const newestFirst = "ORDER BY insert_order DESC LIMIT ? + 0";
  const firstPage = select(newestFirst);
  const pageAfter = select(`WHERE insert_order < (SELECT insert_order FROM items WHERE id = ?) ${newestFirst}`);
  const byKey = select("WHERE idempotency_key = ?");
  const insert = db.prepare(`
    INSERT INTO items (id, ${fields.map((field) => `"${field}",`).join(" ")} created_at, idempotency_key)
    VALUES (?, ${"?, ".repeat(fields.length)} ?, ?) ON CONFLICT (idempotency_key) DO NOTHING`);
  const waiting: (Creation & PromiseWithResolvers<string>)[] = [];

  const create = ({ item, idempotencyKey, resolve }: (typeof waiting)[number]) => {
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    const values = fields.map((field) => toSql(item[field]));
    const { changes } = insert.run(made.id, ...values, made.createdAt, idempotencyKey ?? null);
    if (changes === 1) return () => resolve(JSON.stringify(made));
    const [stored = ""] = byKey.get(idempotencyKey ?? null) as unknown as string[];
    return () => resolve(Promise.try(replayOf, stored, item));
  };

  /** One transaction for all that wait: a flush to disk for each would cost most of the throughput. */
  const createWaiting = () => {
    db.exec("BEGIN IMMEDIATE");
    try {
      const answers = waiting.map(create);
      db.exec("COMMIT");
      waiting.length = 0;
      for (const answer of answers) answer();
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  };
  const rejectWaiting = (error: unknown) => waiting.splice(0).map(({ reject }) => reject(error));

  return {
    async list({ limit, cursor }) {
      const rows = await run(() => (cursor ? pageAfter.all(cursor, limit + 1) : firstPage.all(limit + 1)));
      return pageOf((rows as unknown as string[][]).flat(), { limit, cursor });
    },
    create(creation) {
      const settle = Promise.withResolvers<string>();
      // Whoever comes while another process holds the lock joins, so there is one attempt at a time.
      if (waiting.push({ ...creation, ...settle }) === 1) setImmediate(() => run(createWaiting).catch(rejectWaiting));
      return settle.promise;
    },
    ping: () => run(() => void firstPage.get(1)),
    close: async () => db.close(),
  };
}

/** https://sqlite.org/rescode.html: BUSY and LOCKED; ERROR, CONSTRAINT, MISMATCH, MISUSE and what is not SQLite's. */
const locks = new Set([5, 6]);
const bugs = new Set([1, 19, 20, 21, 0]);
const resultCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff;
