import { randomUUIDv7 } from "node:crypto";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import type { ColumnType } from "../column.ts";
import { pruneLater } from "../features/item-routes/store/prune.ts";
import { explainReferences, referenceIndexes } from "../features/item-routes/store/relations.ts";
import { listingOn } from "../features/item-routes/store/rows.ts";
import {
  firstAnswer,
  makeAdditionalTables,
  type Opened,
  queryOf,
  sqliteRows,
} from "../features/item-routes/store/sqlite.ts";
import { explainTaken } from "../features/item-routes/store/unique.ts";
import { sqliteInbox } from "../features/webhooks/inbox/sqlite.ts";
import type { Page } from "../input.ts";
import { log } from "../log.ts";
import { Problem, unavailable } from "../problem.ts";
import type { Resource, Stored } from "../resource.ts";
import { StartError } from "../start-error.ts";
import { defineColumn, findNewColumns, type TableColumn, toTableColumns } from "./columns.ts";
import { missing, referencesOf } from "./relations/relations.ts";
import { addForeignKeys } from "./relations/sqlite.ts";
import { notOpen, pageOf, replayOf, type Store, type StoreConfig, type Table } from "./store.ts";
import { makeUnique } from "./unique/sqlite.ts";
import { refuseTaken } from "./unique/unique.ts";

export const protocols = ["file:"];
export const defaultUrl = "file:./data/items.db";

/** What is open to SQL of your own. */
export interface SqliteStore extends Store {
  kind: "sqlite";
  /** A connection of your own, once the store is open: what you do with it never mixes with the store's transactions. */
  readonly database: DatabaseSync;
  /** Runs `work` in a transaction, which is committed unless `work` throws. It must not be asynchronous. */
  transaction<T>(work: (db: DatabaseSync) => T): Promise<T>;
  /** For tables of your own: `work` runs in a transaction whenever the store is opened. It must not be asynchronous. */
  onOpen(work: (db: DatabaseSync) => void): void;
}

/** The store in an SQLite file, which is created at the first start. */
export function createStore({ databaseUrl, handlerTimeoutMs }: StoreConfig): SqliteStore {
  const tables: ((db: DatabaseSync) => void)[] = [];
  const waiting: { start(): () => void; reject(error: unknown): void }[] = [];
  const hooks: ((db: DatabaseSync) => void)[] = [];
  let db: DatabaseSync;
  let owners: DatabaseSync | undefined;
  const names: string[] = [];
  let isWritable = true;
  let isCorrupt = false;

  /** Waits for another process's lock. SQLite's own waiting would block the event loop. */
  const run = async <T>(work: () => T, deadline = Date.now() + handlerTimeoutMs / 2): Promise<T> => {
    try {
      return work();
    } catch (error) {
      if (locks.has(resultCode(error)) && Date.now() <= deadline) return sleep(10).then(() => run(work, deadline));
      if (bugs.has(resultCode(error))) throw error;
      isWritable &&= !writeFailures.has(resultCode(error));
      isCorrupt ||= corruptions.has(resultCode(error));
      log("error", "the database cannot be used", { error });
      throw unavailable();
    }
  };

  /** One transaction for all waiting writes: a flush to disk for each would cost most of the throughput. */
  const writeWaiting = () => {
    db.exec("BEGIN IMMEDIATE");
    try {
      const answers = waiting.map(({ start }) => start());
      db.exec("COMMIT");
      isWritable = true;
      waiting.length = 0;
      for (const answer of answers) answer();
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  };
  const rejectWaiting = (error: unknown) => waiting.splice(0).map(({ reject }) => reject(error));

  /** Runs `work` in the next transaction. Once that is durable, the function that it returns is called. */
  const write = <T>(work: () => () => T | Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const start = () => {
        const answer = work();
        return () => resolve(answer());
      };
      // Writes that arrive while another process holds the lock join the same attempt.
      if (waiting.push({ start, reject }) === 1) setImmediate(() => run(writeWaiting).catch(rejectWaiting));
    });

  const connect = () => {
    if (!db?.isOpen) return notOpen();
    const connection = openFile(databaseUrl, { timeout: 1000 });
    connection.exec("PRAGMA synchronous = FULL");
    return connection;
  };

  const transact = <T>(work: (db: DatabaseSync) => T): T => {
    owners ??= connect();
    // Another part of the program has begun a transaction and waits for something.
    if (owners.isTransaction) throw Object.assign(new Error("a transaction is open"), { errcode: busy });
    owners.exec("BEGIN IMMEDIATE");
    try {
      const result = work(owners);
      if (types.isPromise(result)) {
        result.catch(() => {});
        throw new TypeError("A transaction on SQLite must not be asynchronous: others would write within it.");
      }
      owners.exec("COMMIT");
      return result;
    } finally {
      if (owners.isTransaction) owners.exec("ROLLBACK");
    }
  };

  /** Reads the first and the last row of each table. A new connection reads the file, and not what another one remembers. */
  const readTables = () => {
    using connection = new DatabaseSync(pathOf(databaseUrl), { readOnly: true, timeout: 0 });
    for (const name of names)
      for (const order of ["ASC", "DESC"])
        connection.prepare(`SELECT * FROM "${name}" ORDER BY insert_order ${order} LIMIT 1`).get();
  };

  /** Writes as much as a few rows need. What a transaction writes and deletes would not reach the disk. */
  const tryToWrite = () => {
    db.exec(`CREATE TABLE IF NOT EXISTS "health probe" AS SELECT zeroblob(${2 ** 16})`);
    db.exec('DROP TABLE "health probe"');
    isWritable = true;
  };

  return {
    kind: "sqlite",
    get database() {
      owners ??= connect();
      return owners;
    },
    transaction: (work) => run(() => transact(work)),
    onOpen: (work) => void hooks.push(work),
    table<T extends object>(resource: Resource<T>): Table<T> {
      const table = new SqliteTable(resource);
      names.push(resource.name);
      tables.push((db) => table.open(db));
      const query = queryOf(() => table.opened, run);
      pruneLater(resource.name, query);
      const changing = sqliteRows(() => table.opened, { run, write });
      explainTaken(changing, resource, query);
      explainReferences(changing, resource, query);
      const listOn = listingOn((page) => run(() => pageOf(table.rows(page), page)), resource.name, query);
      const asked = new Map<string, Promise<string>>();
      /** One query for all requests for the same page in one turn of the event loop: it runs after the last of them. */
      const answer = async (page: Page, key: string) => {
        await nextTurn();
        asked.delete(key);
        if (page.cursor) return listOn(page);
        return run(() => pageOf(table.rows(page), page));
      };
      return {
        list: (page) => asked.getOrInsertComputed(`${page.limit} ${page.cursor}`, (key) => answer(page, key)),
        create: (item, creation) => write(() => table.insert(item, creation?.idempotencyKey)),
        get: (id) => run(() => table.get(id)),
        count: () => run(() => table.count()),
        rows: changing,
      };
    },
    inbox: () => sqliteInbox({ onOpen: (use) => void tables.push(use), run, write }),
    async open() {
      try {
        db = openFile(databaseUrl, { returnArrays: true, timeout: handlerTimeoutMs });
        for (const open of tables) open(db);
        db.exec("PRAGMA busy_timeout = 0");
        await run(() => db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
        for (const work of hooks) await run(() => transact(work));
      } catch (error) {
        // It may hold the lock.
        db?.close();
        throw new StartError(`The SQLite file of DATABASE_URL cannot be used: ${(error as Error).message}`);
      }
    },
    async ping() {
      if (isCorrupt) throw unavailable();
      await run(readTables).catch((error) => {
        if (!(error instanceof Problem)) log("error", "a table cannot be read", { error });
        throw unavailable();
      });
      if (!isWritable) await run(tryToWrite);
    },
    async close() {
      owners?.close();
      db.close();
    },
  };
}

/** The table of a resource: its SQL and its prepared statements. */
class SqliteTable<T extends object> {
  readonly #name: string;
  readonly #resource: Resource<T>;
  readonly #columns: TableColumn[];
  #db!: DatabaseSync;
  #firstPage!: StatementSync;
  #pageAfter!: StatementSync;
  #byKey!: StatementSync;
  #oneItem!: StatementSync;
  #count!: StatementSync;
  #insert!: StatementSync;

  constructor(resource: Resource<T>) {
    this.#resource = resource;
    this.#name = `"${resource.name}"`;
    this.#columns = toTableColumns(resource.columns, sqlTypes);
  }

  open(db: DatabaseSync): void {
    this.#db = db;
    this.#make();
    const [name, columns] = [this.#name, this.#columns];
    const select = (rest: string) => db.prepare(`SELECT ${this.#json()} FROM ${name} ${rest}`);
    // With a bare `?` here, SQLite would plan the query again at every use, by its value.
    const newestFirst = "ORDER BY insert_order DESC LIMIT ? + 0";
    this.#firstPage = select(newestFirst);
    this.#pageAfter = select(`WHERE insert_order < (SELECT insert_order FROM ${name} WHERE id = ?) ${newestFirst}`);
    this.#byKey = select("WHERE idempotency_key = ?");
    this.#oneItem = select("WHERE id = ?");
    this.#count = db.prepare(`SELECT count(*) FROM ${name}`);
    this.#insert = db.prepare(`
      INSERT INTO ${name} (id, ${columns.map((column) => `"${column.name}",`).join(" ")} created_at, idempotency_key)
      VALUES (?, ${"?, ".repeat(columns.length)} ?, ?) ON CONFLICT DO NOTHING`);
  }

  /** The items of a page, each as JSON, and one more if there is one. */
  rows({ limit, cursor }: { limit: number; cursor: string | undefined }): string[] {
    const rows = cursor ? this.#pageAfter.all(cursor, limit + 1) : this.#firstPage.all(limit + 1);
    return (rows as unknown as string[][]).flat();
  }

  get(id: string): Stored<T> | undefined {
    const [stored] = (this.#oneItem.get(id) ?? []) as unknown as string[];
    return stored && JSON.parse(stored);
  }

  count(): number {
    return Number((this.#count.get() as unknown as unknown[])[0]);
  }

  /** What changes of its rows need. */
  get opened(): Opened<T> {
    const valuesOf = (item: T) => this.#columns.map((column) => toSql(item, column));
    return { db: this.#db, resource: this.#resource, json: this.#json(), valuesOf };
  }

  /** Runs within a transaction; the returned function is called once that is durable. */
  insert(item: T, key: string | undefined): () => string | Promise<string> {
    const answered = firstAnswer(this.#db, this.#resource.name, key);
    if (answered) return () => Promise.try(replayOf, answered, item);
    const idempotencyKey = key ?? null;
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    const values = this.#columns.map((column) => toSql(item, column));
    const lost = referencesOf(this.#resource, item).filter(({ find, id }) => !this.#db.prepare(find).get({ $1: id }));
    if (lost.length > 0) return () => Promise.reject(missing(lost));
    const { changes } = this.#insert.run(made.id, ...values, made.createdAt, idempotencyKey);
    if (changes === 1) return () => JSON.stringify(made);
    const [stored = ""] = (this.#byKey.get(idempotencyKey) ?? []) as unknown as string[];
    if (!stored)
      return () =>
        refuseTaken(this.#resource, item, (text, value) => this.#db.prepare(text).all({ $1: value as SQLInputValue }));
    return () => Promise.try(replayOf, stored, item);
  }

  #make(): void {
    const db = this.#db;
    const definitions = new Map(this.#columns.map((column) => [column.name, defineColumn(column)]));
    addForeignKeys(definitions, this.#resource);
    const own = ["insert_order", "id", "created_at", "idempotency_key"];
    db.exec(`BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS ${this.#name} (
      insert_order INTEGER PRIMARY KEY AUTOINCREMENT, id text NOT NULL UNIQUE,
      ${[...definitions.values()].map((definition) => `${definition},`).join(" ")}
      created_at text NOT NULL, idempotency_key text UNIQUE)`);
    const table = db.prepare(`
      SELECT name, replace(lower(type), 'double precision', 'numeric'), "notnull"
      FROM pragma_table_info(?) WHERE name NOT IN (${own.map((name) => `'${name}'`)})`);
    const found = table.all(this.#resource.name) as never;
    const hasItems = db.prepare(`SELECT 1 FROM ${this.#name}`).get() !== undefined;
    for (const { name } of findNewColumns(this.#resource.name, this.#columns, found, hasItems))
      db.exec(`ALTER TABLE ${this.#name} ADD COLUMN ${definitions.get(name)}`);
    makeUnique(db, this.#resource);
    makeAdditionalTables(db, this.#resource.name);
    db.exec(referenceIndexes(this.#resource));
    db.exec("COMMIT");
  }

  #json(): string {
    const members = this.#columns.map((column) => `${toMember(column)} ||`).join(" ");
    return `'{"id":"' || id || '"' || ${members} ',"createdAt":"' || created_at || '"}'`;
  }
}

/** A URL parser would make a relative path absolute. */
const pathOf = (url: string) => (url.startsWith("file:/") ? fileURLToPath(url) : resolve(url.slice(5)));

function openFile(url: string, options: DatabaseSyncOptions): DatabaseSync {
  const path = pathOf(url);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite would create a file that everyone may read.
  closeSync(openSync(path, "a", 0o600));
  return new DatabaseSync(path, options);
}

const sqlTypes: Record<ColumnType, string> = {
  text: "text",
  number: "numeric",
  integer: "bigint",
  boolean: "boolean",
  json: "json",
  id: "uuid",
};

/** A column as a member of its item's JSON; empty if not sent. SQLite has booleans as numbers and JSON as text. */
function toMember({ name, type, isRequired }: TableColumn): string {
  const json = type === "json" ? `"${name}"` : `json_quote("${name}")`;
  const member = `',"${name}":' || ${type === "boolean" ? `iif("${name}", 'true', 'false')` : json}`;
  return isRequired ? member : `iif("${name}" IS NULL, '', ${member})`;
}

/** The value of a column. */
function toSql(item: object, { name, type }: TableColumn): SQLInputValue {
  const value = (item as Record<string, unknown>)[name];
  if (value === undefined) return null;
  if (type === "json") return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) : (value as SQLInputValue);
}

/** https://sqlite.org/rescode.html: BUSY and LOCKED; ERROR, CONSTRAINT, MISMATCH, MISUSE and errors from elsewhere. */
const busy = 5;
const locks = new Set([busy, 6]);
const bugs = new Set([1, 19, 20, 21, 0]);
/** READONLY, IOERR, FULL and CANTOPEN; CORRUPT and NOTADB. */
const writeFailures = new Set([8, 10, 13, 14]);
const corruptions = new Set([11, 26]);
const resultCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff;
