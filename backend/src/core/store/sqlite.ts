import { randomUUIDv7 } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type DatabaseSyncOptions, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import { type Read, url } from "../environment.ts";
import { log } from "../log.ts";
import { Problem, StartError, unavailable } from "../problem.ts";
import type { Page, Resource, Stored } from "../resource.ts";
import {
  beginning,
  type CodeTable,
  describeApplied,
  divide,
  fail,
  findPending,
  insertAll,
  isNewDatabase,
  keepFound,
  listStates,
  type Migration,
  type Recorded,
  readFound,
  readMigrations,
  record,
  skip,
  warnOfNewer,
} from "./migrations.ts";
import {
  type Constraint,
  defineColumn,
  findNewColumns,
  hasLength,
  type List,
  maxJoinedBytes,
  maxPageBytes,
  notOpen,
  printPage,
  type Query,
  refuseWrite,
  replayCreation,
  type Store,
  type StoreConfig,
  sqliteTypes,
  type Table,
  type TableColumn,
  type TableExtension,
  toTableColumns,
} from "./store.ts";

export const protocols = ["file:"];
export const defaultUrl = "file:./data/items.db";

export function readStoreSettings(read: Read) {
  return { databaseUrl: read("DATABASE_URL", defaultUrl, url(protocols)) };
}

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

/** What a feature adds to a store in SQLite. */
export interface SqliteHooks {
  /** Returns members that the store then has. */
  extendStore?(access: SqliteAccess): object;
  extendTable?<T extends object>(table: SqliteTable<T>, access: SqliteAccess): SqliteExtension | undefined;
}

/** What the store shares with features: its own connection, once it is open, waiting for locks, transactions, and queries. */
export interface SqliteAccess {
  onOpen(use: (db: DatabaseSync) => void): void;
  run<T>(work: () => T): Promise<T>;
  /** Runs `work` in the next transaction. Once that is durable, the function that it returns is called. */
  write<T>(work: () => () => T | Promise<T>): Promise<T>;
  query: Query;
}

export interface SqliteExtension extends TableExtension {
  /** Changes the definitions of columns, before the table is made. */
  define?(definitions: Map<string, string>): void;
  /** Makes tables and indexes of its own, in the transaction that makes the table. */
  make?(db: DatabaseSync): void;
  /** Finds the first answer to an idempotency key, if the table may not have it any more. */
  findAnswer?(key: string): string | undefined;
}

/** What the store needs from a feature. */
export interface StoreFeature {
  sqlite?: SqliteHooks;
}

/** The store in an SQLite file, which is created at the first start. */
export function createStore(
  { databaseUrl, handlerTimeoutMs, migrate, migrationsFolder }: StoreConfig,
  features: StoreFeature[] = [],
): SqliteStore {
  const tables: ((db: DatabaseSync) => void)[] = [];
  const waiting: { start(): () => void; reject(error: unknown): void }[] = [];
  const hooks: ((db: DatabaseSync) => void)[] = [];
  let db: DatabaseSync;
  let owners: DatabaseSync | undefined;
  const resources: CodeTable[] = [];
  const skipped: Migration[] = [];
  let turn: Promise<void> | undefined;
  let isWritable = true;
  let isCorrupt = false;

  /** Waits for another process's lock. SQLite's own waiting would block the event loop. */
  const run = async <T>(work: () => T, deadline = Date.now() + handlerTimeoutMs / 2): Promise<T> => {
    try {
      return work();
    } catch (error) {
      if (locks.has(readResultCode(error)) && Date.now() <= deadline) return sleep(10).then(() => run(work, deadline));
      if (bugs.has(readResultCode(error))) throw error;
      isWritable &&= !writeFailures.has(readResultCode(error));
      isCorrupt ||= corruptions.has(readResultCode(error));
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

  const write = <T>(work: () => () => T | Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const start = () => {
        const answer = work();
        return () => resolve(answer());
      };
      // Writes that arrive while another process holds the lock join the same attempt.
      if (waiting.push({ start, reject }) === 1) setImmediate(() => run(writeWaiting).catch(rejectWaiting));
    });

  /** The end of this turn of the event loop, for all who wait for it: their queries then run one after another. */
  const waitForTurn = () => {
    turn ??= nextTurn().finally(() => {
      turn = undefined;
    });
    return turn;
  };

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
    using connection = new DatabaseSync(toPath(databaseUrl), { readOnly: true, timeout: 0 });
    for (const { name } of resources)
      for (const order of ["ASC", "DESC"])
        connection.prepare(`SELECT * FROM "${name}" ORDER BY insert_order ${order} LIMIT 1`).get();
  };

  /** Writes as much as a few rows need. What a transaction writes and deletes would not reach the disk. */
  const tryToWrite = () => {
    db.exec(`CREATE TABLE IF NOT EXISTS "health probe" AS SELECT zeroblob(${2 ** 16})`);
    db.exec('DROP TABLE "health probe"');
    isWritable = true;
  };

  /** On a connection without foreign keys: a migration may make a table again that others refer to. */
  const connectToMigrate = () => {
    const connection = openFile(databaseUrl, { enableForeignKeyConstraints: false, timeout: handlerTimeoutMs });
    connection.exec("PRAGMA synchronous = FULL");
    return connection;
  };

  const open = async () => {
    try {
      const migrations = migrate === "off" ? [] : readMigrations("sqlite", migrationsFolder);
      const isNew = await applyMigrations(connectToMigrate, resources, migrations);
      db = openFile(databaseUrl, { returnArrays: true, timeout: handlerTimeoutMs });
      db.function(printNumber, { deterministic: true }, (value) => JSON.stringify(value));
      for (const open of tables) open(db);
      db.exec("PRAGMA busy_timeout = 0");
      await run(() => db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
      for (const work of hooks) await run(() => transact(work));
      if (isNew) skipped.push(...(await applyOwn(connectToMigrate, resources, migrations)));
    } catch (error) {
      // It may hold the lock.
      db?.close();
      if (error instanceof StartError) throw error;
      throw new StartError(`The SQLite file of DATABASE_URL cannot be used: ${(error as Error).message}`);
    }
  };

  const close = async () => {
    owners?.close();
    db.close();
  };

  const query: Query = (text, values) =>
    run(() => {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value as SQLInputValue]));
      return db.prepare(text).all(named) as never;
    });

  const access: SqliteAccess = { onOpen: (use) => void tables.push(use), run, write, query };
  const added = features.flatMap(({ sqlite }) => sqlite ?? []);
  const store = {
    kind: "sqlite",
    get database() {
      owners ??= connect();
      return owners;
    },
    transaction: (work) => run(() => transact(work)),
    onOpen: (work) => void hooks.push(work),
    table<T extends object>(resource: Resource<T>): Table<T> {
      const table = new SqliteTable(resource);
      resources.push(resource);
      tables.push((db) => table.open(db));
      table.extensions.push(...added.flatMap((one) => one.extendTable?.(table, access) ?? []));
      const readPage: List = (page) => run(() => table.list(page));
      const list = table.extensions.reduce((read, extension) => extension.list?.(read) ?? read, readPage);
      const asked = new Map<string, Promise<string>>();
      /** One query for all requests for the same page in one turn of the event loop: it runs after the last of them. */
      const answer = async (page: Page, key: string) => {
        await waitForTurn();
        asked.delete(key);
        return list(page);
      };
      const members = {
        list: ({ limit = 20, cursor } = {}) =>
          asked.getOrInsertComputed(`${limit} ${cursor}`, (key) => answer({ limit, cursor }, key)),
        create: (item, creation) => write(() => table.insert(item, creation?.idempotencyKey)),
        get: (id) => run(() => table.get(id)),
        count: () => run(() => table.count()),
      } satisfies Partial<Table<T>>;
      return Object.assign(members, ...table.extensions.map((extension) => extension.members));
    },
    open,
    async migrate(isPlanOnly) {
      const migrations = readMigrations("sqlite", migrationsFolder);
      const read = () => {
        if (!existsSync(toPath(databaseUrl))) return [];
        using connection = connectToMigrate();
        return readRecord(connection);
      };
      const before = read();
      if (isPlanOnly) findPending(migrations, before);
      else if (await applyMigrations(connectToMigrate, resources, migrations)) {
        await open();
        await close();
      }
      return listStates(migrations, before, read(), skipped);
    },
    async ping() {
      if (isCorrupt) throw unavailable();
      await run(readTables).catch((error) => {
        if (!(error instanceof Problem)) log("error", "a table cannot be read", { error });
        throw unavailable();
      });
      if (!isWritable) await run(tryToWrite);
    },
    close,
  } satisfies Partial<SqliteStore>;
  return Object.assign(store, ...added.map((one) => one.extendStore?.(access)));
}

/** The table of a resource: its SQL and its prepared statements. */
export class SqliteTable<T extends object> {
  readonly resource: Resource<T>;
  readonly extensions: SqliteExtension[] = [];
  /** The store's own connection, once it is open. */
  db!: DatabaseSync;
  readonly #name: string;
  readonly #columns: TableColumn[];
  #pages!: Record<"first" | "after", StatementSync>;
  #joined!: Record<"first" | "after", StatementSync>;
  #byKey!: StatementSync;
  #oneItem!: StatementSync;
  #count!: StatementSync;
  #insert!: StatementSync;

  constructor(resource: Resource<T>) {
    this.resource = resource;
    this.#name = `"${resource.name}"`;
    this.#columns = toTableColumns(resource.columns, sqliteTypes);
  }

  open(db: DatabaseSync): void {
    this.db = db;
    this.#make();
    const [name, columns] = [this.#name, this.#columns];
    const select = (rest: string) => db.prepare(`SELECT ${this.json} FROM ${name} ${rest}`);
    // With a bare `?` here, SQLite would plan the query again at every use, by its value.
    const newestFirst = "ORDER BY insert_order DESC LIMIT ? + 0";
    const after = `WHERE insert_order < (SELECT insert_order FROM ${name} WHERE id = ?) ${newestFirst}`;
    this.#pages = { first: select(newestFirst), after: select(after) };
    const isLarge = columns.filter(hasLength).map((column) => `octet_length("${column.name}") > ${maxJoinedBytes}`);
    // Only an error ends the query. The sizes are known without reading the values.
    const item = isLarge.length > 0 ? `iif(${isLarge.join(" OR ")}, json_quote(x''), ${this.json})` : this.json;
    // The whole page as one value, unless it is large: its rows take longer to pass on than to read.
    const join = (rest: string) =>
      db.prepare(`
        SELECT iif(octet_length(items) < ${maxPageBytes - 100}, items, NULL),
          (SELECT id FROM ${name} WHERE insert_order = page.last),
          EXISTS (SELECT 1 FROM ${name} WHERE insert_order < page.last)
        FROM (SELECT group_concat(item) AS items, min(insert_order) AS last
          FROM (SELECT ${item} AS item, insert_order FROM ${name} ${rest})) AS page`);
    this.#joined = { first: join(newestFirst), after: join(after) };
    this.#byKey = select("WHERE idempotency_key = ?");
    this.#oneItem = select("WHERE id = ?");
    this.#count = db.prepare(`SELECT count(*) FROM ${name}`);
    this.#insert = db.prepare(`
      INSERT INTO ${name} (id, ${columns.map((column) => `"${column.name}",`).join(" ")} created_at, idempotency_key)
      VALUES (?, ${"?, ".repeat(columns.length)} ?, ?) ON CONFLICT DO NOTHING`);
  }

  /** A page as JSON. */
  list(page: Page): string {
    const [items, last, isMore] = this.#join(page);
    if (items === null) return printPage(this.#listItems(page), page);
    return `{"items":[${items}],"nextCursor":${isMore ? `"${last}"` : null}}`;
  }

  /** The items of a page in one text; null if it may not fit. */
  #join({ limit, cursor }: Page): [items: string | null, last: string, isMore: number] {
    try {
      return (cursor ? this.#joined.after.get(cursor, limit) : this.#joined.first.get(limit)) as never;
    } catch (error) {
      // A fault of the query itself is also one of that for the items.
      if (readResultCode(error) !== sqlError) throw error;
      return [null, "", 0];
    }
  }

  /** The items of a page, each as JSON, and at most one more. */
  #listItems({ limit, cursor }: Page): string[] {
    const rows = cursor ? this.#pages.after.iterate(cursor, limit + 1) : this.#pages.first.iterate(limit + 1);
    const items: string[] = [];
    let length = 0;
    for (const [item] of rows as Iterable<unknown> as Iterable<[string]>) {
      items.push(item);
      if (length > maxPageBytes) break;
      length += item.length;
    }
    return items;
  }

  get(id: string): Stored<T> | undefined {
    const [stored] = (this.#oneItem.get(id) ?? []) as unknown as string[];
    return stored && JSON.parse(stored);
  }

  count(): number {
    return Number((this.#count.get() as unknown as unknown[])[0]);
  }

  /** The values of an item's columns. */
  toValues(item: T): SQLInputValue[] {
    return this.#columns.map((column) => toSql(item, column));
  }

  /** The SQL expression for an item as JSON. */
  get json(): string {
    const members = this.#columns.map((column) => `${toMember(column)},`).join(" ");
    return `concat('{"id":"', id, '"', ${members} ',"createdAt":"', created_at, '"}')`;
  }

  /** Runs within a transaction; the returned function is called once that is durable. */
  insert(item: T, key: string | undefined): () => string | Promise<string> {
    const answered = this.#findAnswer(key);
    if (answered) return () => Promise.try(replayCreation, answered, item);
    const idempotencyKey = key ?? null;
    const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
    try {
      const { changes } = this.#insert.run(made.id, ...this.toValues(item), made.createdAt, idempotencyKey);
      if (changes === 1) return () => JSON.stringify(made);
    } catch (error) {
      // Only this statement is undone, not those of others in the transaction.
      const constraint = readConstraint(error);
      if (!constraint) throw error;
      return () => refuseWrite(this.extensions, { constraint, item }, error);
    }
    const [stored] = (this.#byKey.get(idempotencyKey) ?? []) as unknown as string[];
    if (stored) return () => Promise.try(replayCreation, stored, item);
    // What it conflicts with may be deleted by now.
    return () => refuseWrite(this.extensions, { constraint: "unique", item }, unavailable());
  }

  #findAnswer(key: string | undefined): string | undefined {
    if (key === undefined) return undefined;
    for (const extension of this.extensions) {
      const answer = extension.findAnswer?.(key);
      if (answer) return answer;
    }
    return undefined;
  }

  #make(): void {
    const { db } = this;
    const definitions = new Map(this.#columns.map((column) => [column.name, defineColumn(column)]));
    for (const extension of this.extensions) extension.define?.(definitions);
    const own = ["insert_order", "id", "created_at", "idempotency_key"];
    db.exec(`BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS ${this.#name} (
      insert_order INTEGER PRIMARY KEY AUTOINCREMENT, id text NOT NULL UNIQUE,
      ${[...definitions.values()].map((definition) => `${definition},`).join(" ")}
      created_at text NOT NULL, idempotency_key text UNIQUE)`);
    const table = db.prepare(`
      SELECT name, replace(lower(type), 'double precision', 'numeric'), "notnull"
      FROM pragma_table_info(?) WHERE name NOT IN (${own.map((name) => `'${name}'`)})`);
    const found = table.all(this.resource.name) as never;
    const hasItems = db.prepare(`SELECT 1 FROM ${this.#name}`).get() !== undefined;
    for (const { name } of findNewColumns(this.resource.name, this.#columns, found, hasItems))
      db.exec(`ALTER TABLE ${this.#name} ADD COLUMN ${definitions.get(name)}`);
    for (const extension of this.extensions) extension.make?.(db);
    db.exec("COMMIT");
  }
}

/**
 * Applies what is pending in SQLite: each file in a transaction of its own, under the write lock. Returns whether the database
 * is new: then its tables are to be made first.
 */
async function applyMigrations(
  connect: () => DatabaseSync,
  tables: CodeTable[],
  migrations: Migration[],
): Promise<boolean> {
  const alone = migrations.find((migration) => migration.alone !== undefined);
  if (alone) throw new StartError(`${alone.path}: SQLite runs everything in a transaction; remove the first line`);
  if (migrations.length === 0) return false;
  using db = connect();
  warnOfNewer(migrations, readRecord(db));
  const applyNext = ([next]: Migration[]) => {
    if (!next || hasBegun(db)) return undefined;
    if (isNewDatabase(listTables(db), tables, migrations)) {
      db.exec(`INSERT INTO ${record} (number, name, checksum) VALUES (${beginning}, '', '')`);
      return undefined;
    }
    runMigration(db, next);
    return next;
  };
  while (!hasBegun(db) && findPending(migrations, readRecord(db)).length > 0) await inTurn(db, migrations, applyNext);
  return hasBegun(db);
}

/** In a new database, after its tables were made from the code: runs the files that add something else. Returns the others. */
async function applyOwn(
  connect: () => DatabaseSync,
  tables: CodeTable[],
  migrations: Migration[],
): Promise<Migration[]> {
  using db = connect();
  await inTurn(db, migrations, () => {
    if (hasBegun(db)) db.exec(keepFound(readFound(readRecord(db)) ?? listTables(db)));
    return undefined;
  });
  const { made, mayMiss } = divide(migrations, tables, readFound(readRecord(db)) ?? []);
  const skipped: Migration[] = [];
  const skipNext = (next: Migration, reason?: string) => {
    for (const statement of insertAll([next])) db.exec(statement);
    skip(next, reason);
    skipped.push(next);
    return undefined;
  };
  const applyNext = ([next]: Migration[]) => {
    if (!hasBegun(db)) return undefined;
    if (next && made.includes(next)) return skipNext(next);
    if (!next) db.exec(`DELETE FROM ${record} WHERE number = ${beginning}`);
    if (!next) return undefined;
    db.exec("SAVEPOINT file");
    try {
      runMigration(db, next);
      return next;
    } catch (error) {
      const { message } = error as Error;
      if (!mayMiss || !isUnknown.test(message)) throw error;
      db.exec("ROLLBACK TO file");
      return skipNext(next, message);
    }
  };
  while (hasBegun(db)) await inTurn(db, migrations, applyNext);
  return skipped;
}

/** What the tables do not have any more, or have already: the file was written for those of its time. */
const isUnknown =
  /no such (table|column|index|trigger|view|constraint)|has no column|already exists|duplicate column|NOT NULL constraint/;

/** Runs `work` with what is pending, under the write lock. It returns the migration that it has applied. */
async function inTurn(
  db: DatabaseSync,
  migrations: Migration[],
  work: (pending: Migration[]) => Migration | undefined,
): Promise<void> {
  await takeLock(db);
  const start = performance.now();
  try {
    db.exec(`CREATE TABLE IF NOT EXISTS ${record} (
      number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
      applied_at text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')))`);
    const applied = work(findPending(migrations, readRecord(db)));
    for (const statement of applied ? insertAll([applied]) : []) db.exec(statement);
    db.exec("COMMIT");
    if (applied) log("info", "applied a migration", describeApplied(applied, start));
  } finally {
    if (db.isTransaction) db.exec("ROLLBACK");
  }
}

const hasBegun = (db: DatabaseSync) => readRecord(db).some(({ number }) => number === beginning);

function listTables(db: DatabaseSync): string[] {
  const text = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> '${record}'`;
  return db
    .prepare(text)
    .all()
    .map(({ name }) => String(name));
}

/** Another process may write for longer than SQLite waits. */
async function takeLock(db: DatabaseSync): Promise<void> {
  for (;;) {
    try {
      return db.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy) throw error;
      log("warn", "a migration waits for another process that writes");
      await sleep(50);
    }
  }
}

/** https://sqlite.org/c3ref/c_alter_table.html: SQLITE_TRANSACTION. An authorizer allows with 0, and denies with 1. */
const transaction = 22;

/** Runs a file, which cannot end the transaction. Foreign keys are checked at its end: a table may be made again. */
function runMigration(db: DatabaseSync, migration: Migration): void {
  let hasEnded = false;
  db.setAuthorizer((action) => {
    hasEnded ||= action === transaction;
    return Number(action === transaction);
  });
  try {
    db.exec(migration.text);
  } catch (error) {
    const reason = "BEGIN, COMMIT and ROLLBACK are not for a migration, which is one transaction anyway; remove them";
    fail(migration, "", hasEnded ? reason : (error as Error).message);
  } finally {
    db.setAuthorizer(null);
  }
  const [lost] = db.prepare("PRAGMA foreign_key_check").all() as { table: string; parent: string }[];
  if (lost) fail(migration, "", `it leaves rows in "${lost.table}" that refer to nothing in "${lost.parent}"`);
}

/** What was applied in SQLite. */
function readRecord(db: DatabaseSync): Recorded[] {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(record) !== undefined;
  const text = `SELECT number, name, checksum, applied_at AS "appliedAt" FROM ${record} ORDER BY number`;
  return isThere ? (db.prepare(text).all() as unknown as Recorded[]) : [];
}

/** A URL parser would make a relative path absolute. */
const toPath = (url: string) => (url.startsWith("file:/") ? fileURLToPath(url) : resolve(url.slice(5)));

function openFile(url: string, options: DatabaseSyncOptions): DatabaseSync {
  const path = toPath(url);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite would create a file that everyone may read.
  closeSync(openSync(path, "a", 0o600));
  return new DatabaseSync(path, options);
}

/** A column as a member of its item's JSON, for `concat`; empty if not sent. */
function toMember(column: TableColumn): string {
  const { name, isRequired } = column;
  const value = toJson(column);
  return isRequired ? `',"${name}":', ${value}` : `iif("${name}" IS NULL, '', ',"${name}":' || ${value})`;
}

/** SQLite has booleans as numbers and JSON as text. */
function toJson({ name, type }: TableColumn): string {
  if (type === "json") return `"${name}"`;
  if (type === "boolean") return `iif("${name}", 'true', 'false')`;
  if (type !== "number") return `json_quote("${name}")`;
  // With more digits its text may be another than JavaScript's, which is slower to get.
  const isShort = `"${name}" BETWEEN -1e9 AND 1e9 AND round("${name}" * 1e4) / 1e4 = "${name}"`;
  return `iif(${isShort}, "${name}", ${printNumber}("${name}" + 0.0))`;
}

/** A function in SQL. */
const printNumber = "print_number";

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
const sqlError = 1;
const bugs = new Set([sqlError, 19, 20, 21, 0]);
/** READONLY, IOERR, FULL and CANTOPEN; CORRUPT and NOTADB. */
const writeFailures = new Set([8, 10, 13, 14]);
const corruptions = new Set([11, 26]);
const readResultCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** FOREIGNKEY and UNIQUE. */
const constraints = new Map<number | undefined, Constraint>([
  [787, "foreign key"],
  [2067, "unique"],
]);

/** The kind of constraint that refused a write, if that is what an error says. */
export const readConstraint = (error: unknown) => constraints.get((error as { errcode?: number }).errcode);
