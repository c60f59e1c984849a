import { randomUUIDv7 } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientConfig, Pool, PoolClient } from "pg";
import { type Read, url } from "../environment.ts";
import { isId } from "../fields/field.ts";
import { StartError, unavailable } from "../problem.ts";
import type { Page, Resource } from "../resource.ts";
import {
  allowPlain,
  type ConnectionSettings,
  connectTo,
  describeLimit,
  explain,
  isBug,
  isRefusal,
  isWriteFailure,
  readCode,
  readConnectionSettings,
  report,
} from "./connection.ts";
import {
  type Change,
  changeShortly,
  changeTables,
  findPending,
  inTransaction,
  isEmpty,
  listStates,
  type Migrating,
  type Migration,
  type Plan,
  planMigrations,
  planOwn,
  readMigrations,
  readRecord,
} from "./migrations.ts";
import { createStatements, group, isTimeout, type Statements, sharePages } from "./statements.ts";
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
  sqlTypes,
  type Table,
  type TableColumn,
  type TableExtension,
  toTableColumns,
} from "./store.ts";

export const protocols = ["postgres:", "postgresql:"];

export function readStoreSettings(read: Read) {
  return readConnectionSettings(read, undefined, url(protocols));
}

export interface PostgresConfig extends StoreConfig, ConnectionSettings {
  /** Where tables are, if their names alone do not lead to them. */
  databasePlace?: PostgresPlace | undefined;
}

/** A place for the tables of a store in a database that it shares with others. */
export interface PostgresPlace {
  /** Makes the place. */
  plan: Plan;
  /** The name that a table has in SQL, between quotes. */
  locate(name: string): string;
  /** Lets SQL of the owner find the tables by their names, on a server that accepts the options. */
  addOptions(options: ClientConfig): void;
  /** Removes these options if a server has refused them. Returns whether the options were changed. */
  dropOptions(options: ClientConfig, error: Error): boolean;
  /** Lets a transaction that has just begun find the tables by their names. */
  begin(client: Pick<Client, "query">): Promise<void>;
  /** Refuses a statement outside a transaction that would not find the tables. */
  checkAlone(db: Client, migration: Migration, statement: string): Promise<void>;
}

/** What is open to SQL of your own. */
export interface PostgresStore extends Store {
  kind: "postgres";
  /** The pool of connections, once the store is open. */
  readonly database: Pool;
  /** Runs `work` in a transaction, which is committed unless `work` throws. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>;
  /** For tables of your own: `work` runs in a transaction whenever the store is opened, in one process at a time. */
  onOpen(work: (client: PoolClient) => Promise<unknown>): void;
}

/** What a feature adds to a store in PostgreSQL. */
export interface PostgresHooks {
  /** Returns members that the store then has. */
  extendStore?(access: PostgresAccess): object;
  extendTable?<T extends object>(table: PostgresTable<T>, access: PostgresAccess): PostgresExtension<T> | undefined;
}

/** What the store shares with features: changes of the tables, made when it is opened, names of tables, and queries. */
export interface PostgresAccess {
  onOpen(plan: Plan): void;
  /** The name that a table has in SQL, between quotes. */
  locate(name: string): string;
  query: Query;
}

/** What the store adds to a new item. */
interface Made {
  id: string;
  createdAt: string;
}

/** The SQL of a table. */
export interface PostgresTable<T extends object> {
  /** With the name that the table has in SQL, between quotes. */
  resource: Resource<T>;
  readonly extensions: PostgresExtension<T>[];
  /** Selects items as JSON text, in `item`, and their `insert_order`. */
  select(rest: string): string;
  /** The same, but null for items that are large. */
  selectSmall(rest: string): string;
  /** Selects how many bytes items have at least, in `bytes`, and their `insert_order`. */
  measure(rest: string): string;
  insert: string;
  /** Inserts the rows of a JSON text; undefined if one of its types is not in JSON. */
  insertAll: string | undefined;
  /** Finds the item of an idempotency key. */
  byKey: string;
  toValues(item: T): unknown[];
}

export interface PostgresExtension<T extends object> extends TableExtension {
  /** Creates an item with an idempotency key, or returns the first answer to that key; nothing if a value is taken. */
  createOnce?(item: T, made: Made, key: string): Promise<string | undefined>;
  /** Whether a new row may wait for others. In a statement with more rows it would keep all of them waiting. */
  mayWait?: boolean;
}

/** What the store needs from a feature. */
export interface StoreFeature {
  postgres?: PostgresHooks;
}

/** The store in PostgreSQL. It waits for a server that cannot be reached; one that refuses access is a start error. */
export function createStore(config: PostgresConfig, features: StoreFeature[] = []): PostgresStore {
  const { databasePlace: place } = config;
  const plans: Plan[] = place ? [place.plan] : [];
  const names: string[] = [];
  const hooks: ((client: PoolClient) => Promise<unknown>)[] = [];
  const adaptations = place ? [allowPlain, place.dropOptions] : [allowPlain];
  const patience = config.handlerTimeoutMs / 2;
  let connection: ClientConfig;
  let pool: Pool;
  let statements: Statements;
  let newClient: () => Client;
  let isWritable = true;
  let state: "closed" | "preparing" | "open" = "closed";
  const migrating: Migrating = {
    tables: [],
    isBegun: false,
    skipped: [],
    readMigrations: () => readMigrations("postgres", config.migrationsFolder),
    begin: place?.begin,
    checkAlone: place?.checkAlone,
  };
  const planFiles: Plan = async (db) => {
    const changes = await planMigrations(db, migrating);
    if (place && changes.length > 0) changes.unshift(...(await place.plan(db)));
    return changes;
  };

  const makeTables = (isMigrationOnly: boolean) => {
    const made = plans.map(
      (plan): Plan =>
        async (db) =>
          migrating.isBegun || !isMigrationOnly ? plan(db) : [],
    );
    // Migrations may refer to tables of the owner's code.
    const planHooks: Plan = async (db) =>
      (migrating.isBegun ? hooks : []).map((work) => () => inTransaction(db, migrating, () => runHook(work, db)));
    const own: Plan = (db) => planOwn(db, migrating);
    return changeTables(config.migrate === "off" ? plans : [planFiles, ...made, planHooks, own], newClient);
  };

  const runHook = async (work: (client: PoolClient) => Promise<unknown>, db: Client) => {
    // Two replicas that create the same table would collide, even with `IF NOT EXISTS`.
    await db.query("SELECT pg_advisory_xact_lock(hashtext('tables of the owner'))");
    await work(db as PoolClient);
  };

  const prepare = async () => {
    await makeTables(false);
    for (const work of hooks)
      await transact(
        (client) => runHook(work, client),
        (step) => step(),
      );
    state = "open";
  };

  const connect = async () => {
    // Loaded here, because it would take most of the startup time of a process that does not use it.
    const { default: driver } = await import("pg");
    connection = { ...connectTo(config), keepAlive: true, connectionTimeoutMillis: patience };
    place?.addOptions(connection);
    newClient = () => new driver.Client(connection);
    return driver;
  };

  /** Servers and poolers accept different options: those that are not necessary are left out if they are refused. */
  const adapt = async <T>(error: unknown, work: () => Promise<T>): Promise<T> => {
    if (!adaptations.some((change) => change(connection, error as Error))) throw error;
    if (pool) Object.assign(pool.options, connection);
    return work().catch((error) => adapt(error, work));
  };

  /** Tries until the tables can be made. A refusal needs a person, so that it is not worth trying often. */
  const prepareLater = async (error: unknown) => {
    const isRefused = isRefusal(error as Error);
    report(isRefused ? "error" : "warn", "the database cannot be used yet", error);
    await sleep(isRefused ? 60_000 : 1000, undefined, { ref: false });
    if (state === "preparing")
      await prepare()
        .catch((error) => adapt(error, prepare))
        .catch(prepareLater);
  };

  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    if (state !== "open") throw unavailable();
    try {
      return await work();
    } catch (error) {
      if (isBug(error)) throw error;
      isWritable &&= !isWriteFailure(error);
      report("error", "the database cannot be used", error);
      throw unavailable();
    }
  };

  const query: Query = async (text, values) => {
    const rows = await attempt(() => statements.run(text, values));
    isWritable ||= /^\s*(insert|update|delete|with)\b/i.test(text);
    return rows as never;
  };

  /** The errors of `work` are its caller's, unless the connection was lost. */
  const transact = async <T>(work: (client: PoolClient) => Promise<T>, use = attempt): Promise<T> => {
    const client = await use(() => pool.connect());
    let lost: Error | undefined;
    const loseConnection = (error: Error) => {
      lost = error;
    };
    client.on("error", loseConnection);
    try {
      await use(() => client.query("BEGIN"));
      await place?.begin(client);
      const result = await work(client);
      const { command } = await use(() => client.query("COMMIT"));
      if (command !== "COMMIT") throw new Error("The transaction was rolled back, because one of its queries failed.");
      return result;
    } catch (error) {
      if (isTimeout(error)) loseConnection(error as Error);
      else await client.query("ROLLBACK").catch(loseConnection);
      if (!lost) throw error;
      report("error", "the database cannot be used", lost);
      throw unavailable();
    } finally {
      client.off("error", loseConnection);
      statements.release(client, lost);
    }
  };

  const locate = (name: string) => place?.locate(name) ?? name;
  const access: PostgresAccess = { onOpen: (plan) => void plans.push(plan), locate, query };
  const added = features.flatMap(({ postgres }) => postgres ?? []);
  const store = {
    kind: "postgres",
    get database() {
      return pool ?? notOpen();
    },
    transaction: (work) => transact(work),
    onOpen: (work) => void hooks.push(work),
    table(given) {
      const resource = { ...given, name: locate(given.name) };
      names.push(resource.name);
      migrating.tables.push(given);
      plans.push((db) => planTable(db, resource));
      const table = describeTable(resource);
      table.extensions.push(...added.flatMap((one) => one.extendTable?.(table, access) ?? []));
      return createTable(table, async (text, values) => (await query<string>(text, values)).flat());
    },
    async migrate(isPlanOnly) {
      await connect();
      const work = async () => {
        const migrations = migrating.readMigrations();
        const before = await readRecord(newClient, migrating);
        if (isPlanOnly) findPending(migrations, before);
        else await makeTables(true);
        const states = listStates(migrations, before, await readRecord(newClient, migrating), migrating.skipped);
        return [...states, ...(await describeLimit(newClient))];
      };
      // A database may sleep, or have been started just now.
      for (const deadline = performance.now() + 6 * patience; ; await sleep(1000))
        try {
          return await work().catch((error) => adapt(error, work));
        } catch (error) {
          if (isRefusal(error as Error) || performance.now() > deadline) throw toStartError(error);
          report("warn", "the database cannot be used yet", error);
        }
    },
    async open() {
      try {
        const driver = await connect();
        pool = new driver.Pool({ ...connection, query_timeout: patience, max: config.databasePoolSize ?? 10 });
        pool.on("error", (error) => report("warn", "a database connection was lost", error));
        statements = createStatements(pool, driver);
        state = "preparing";
        await prepare().catch((error) => adapt(error, prepare));
      } catch (error) {
        if (isRefusal(error as Error)) throw toStartError(error);
        void prepareLater(error);
      }
    },
    async ping() {
      const reads = names.map((name) => `, EXISTS (SELECT FROM "${name}")`);
      const [[isReadOnly] = []] = await query(`SELECT current_setting('transaction_read_only')${reads.join("")}`, []);
      if (isReadOnly === "on") {
        statements.renew();
        throw unavailable();
      }
      // A table that ends with its transaction needs space on the disk, as rows do.
      const probe =
        "CREATE TEMPORARY TABLE probe ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 100)";
      if (!isWritable)
        await attempt(() => transact((client) => client.query(probe))).catch((error) => {
          // Not every role may make temporary tables: then the next write tells.
          if (readCode(error) !== insufficientPrivilege) throw error;
        });
      isWritable = true;
    },
    async close() {
      state = "closed";
      await pool.end();
    },
  } satisfies Partial<PostgresStore>;
  return Object.assign(store, ...added.map((one) => one.extendStore?.(access)));
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const insufficientPrivilege = "42501";
const constraints = new Map<string, Constraint>([
  ["23503", "foreign key"],
  ["23505", "unique"],
]);

/** The kind of constraint that refused a write, if that is what an error says. */
export const readConstraint = (error: unknown) => constraints.get(readCode(error));

type QueryText = (text: string, values: unknown[]) => Promise<string[]>;

function describeTable<T extends object>(resource: Resource<T>): PostgresTable<T> {
  const { name } = resource;
  const columns = toTableColumns(resource.columns, sqlTypes);
  const fields = columns.map((column) => column.name);
  const names = fields.map((field) => `"${field}",`).join(" ");
  // A field that was not sent is left out. PostgreSQL's functions for that would also leave out nulls within a field.
  const members = columns.map((column) => `coalesce(',"${column.name}":' || ${toJson(column)}, '') ||`).join(" ");
  const item = `'{"id":"' || id || '"' || ${members} ',"createdAt":"' ||
      to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}'`;
  const select = (rest: string) => `SELECT ${item} AS item, insert_order FROM "${name}" ${rest}`;
  const long = columns.filter(hasLength);
  const isLarge = ["false", ...long.map(isLong)].join(" OR ");
  const selectSmall = (rest: string) =>
    `SELECT CASE WHEN ${isLarge} THEN NULL ELSE ${item} END AS item, insert_order FROM "${name}" ${rest}`;
  const bytes = ["0", ...long.map((column) => `coalesce(${measureLength(column)}, 0)`)].join(" + ");
  const measure = (rest: string) => `SELECT ${bytes} AS bytes, insert_order FROM "${name}" ${rest}`;
  const insert = `
    INSERT INTO "${name}" (id, ${names} created_at, idempotency_key)
    VALUES (${[...fields, 1, 2, 3].map((_, index) => `$${index + 1}`).join()})
    ON CONFLICT DO NOTHING RETURNING id`;
  const byKey = `SELECT item FROM (${select("WHERE idempotency_key = $1")}) found`;
  const insertAll = columns.every(({ type }) => type in sqlTypes) ? printInsertAll(name, columns) : undefined;
  const toValues = (item: T) => columns.map((column) => toSql(item, column));
  return { resource, extensions: [], select, selectSmall, measure, insert, insertAll, byKey, toValues };
}

/** PostgreSQL knows the length of a text without reading it, even if it is stored compressed; of other types it does not. */
const measureLength = ({ name, type }: TableColumn) => `octet_length("${name}"${type === "text" ? "" : "::text"})`;

/** Whether a value is long. One of another type than text is read for that, unless few bytes of it are stored. */
function isLong(column: TableColumn): string {
  const isLonger = `${measureLength(column)} > ${maxJoinedBytes}`;
  return column.type === "text" ? isLonger : `pg_column_size("${column.name}") > ${compressedBytes} AND ${isLonger}`;
}

/** PostgreSQL compresses values from about here on, to a hundredth at best. */
const compressedBytes = 2000;

/** A value as JSON text. PostgreSQL writes large and small numbers in another form than JavaScript. */
function toJson({ name, type }: TableColumn): string {
  const [json, size] = [`to_json("${name}")::text`, `abs("${name}")`];
  if (type !== "number") return json;
  return `CASE WHEN ${size} >= 1e-4 AND ${size} < 1e15 OR ${size} = 0 THEN ${json}
    WHEN ${size} >= 1e-6 AND ${size} < 1e21 THEN "${name}"::text::numeric::text ELSE replace(${json}, 'e-0', 'e-') END`;
}

/** Rows are objects: `i` for the id, `c` for `created_at`, and a number for each column. JSON in them is text, which stays as it is. */
function printInsertAll(name: string, columns: TableColumn[]): string {
  const fields = columns.map((column) => `"${column.name}",`).join(" ");
  const values = columns.map(({ type }, index) => `"${index}"${type === "json" ? "::json" : ""},`).join(" ");
  const types = columns
    .map(({ type, sqlType }, index) => `"${index}" ${type === "json" ? "text" : sqlType},`)
    .join(" ");
  return `
    INSERT INTO "${name}" (id, ${fields} created_at)
    SELECT i, ${values} c FROM json_to_recordset($1) AS rows (i uuid, ${types} c timestamptz)`;
}

function toRow({ id, createdAt }: Made, values: unknown[]): string {
  return JSON.stringify({ i: id, c: createdAt, ...values });
}

function createTable<T extends object>(
  { resource, extensions, select, selectSmall, measure, insert, insertAll, byKey, toValues }: PostgresTable<T>,
  query: QueryText,
): Table<T> {
  const { name } = resource;
  const oneItem = `SELECT item FROM (${select("WHERE id = $1")}) found`;
  const newestFirst = (limit: number) => `ORDER BY insert_order DESC LIMIT ${limit + 1}`;
  const selectPage = (rest: string, limit: number) => selectSmall(`${rest} ${newestFirst(limit)}`);
  const after = (cursor: string) => `WHERE insert_order < (SELECT insert_order FROM "${name}" WHERE id = ${cursor})`;
  const readers = new Map<number, (cursor: string) => Promise<string>>();
  /** Reads pages of one limit. A limit that is part of the text lets the database keep its plan. */
  const createReader = (limit: number) => {
    const pages = joinPages(selectPage(after("asked.cursor::uuid"), limit));
    return group((cursors) => query(pages, [JSON.stringify(cursors)]), { maxInputs: 16, maxUnderWay: 4 });
  };
  const readItems = async ({ limit, cursor }: Page) => {
    if (cursor) return readers.getOrInsertComputed(limit, createReader)(cursor);
    return (await query(joinItems(selectPage("", limit)), []))[0];
  };
  const readPage: List = async (page) => {
    const { limit, cursor } = page;
    const joined = await readItems(page);
    const listFitting = () => {
      const fitting = findFitting(measure(`${cursor ? after("$1") : ""} ${newestFirst(limit)}`));
      const items = select(`WHERE insert_order = ANY (ARRAY(${fitting}))`);
      return query(`SELECT item FROM (${items}) page ORDER BY insert_order DESC`, cursor ? [cursor] : []);
    };
    return printPage(joined == null ? await listFitting() : splitItems(joined), page);
  };
  const createOnce = extensions.find((extension) => extension.createOnce)?.createOnce;
  const insertInGroup =
    insertAll &&
    !extensions.some(({ mayWait }) => mayWait) &&
    group((rows) => query(insertAll, [`[${rows}]`]), { maxInputs: 200, maxUnderWay: 2 });
  const createAlone = async (item: T, made: Made, key: string | undefined) => {
    const answered = key && (await createOnce?.(item, made, key));
    if (answered) return answered;
    const [inserted] = await query(insert, [made.id, ...toValues(item), made.createdAt, key]);
    if (inserted) return JSON.stringify(made);
    const [stored] = await query(byKey, [key]);
    if (stored) return replayCreation(stored, item);
    // What it conflicts with may be deleted by now.
    return refuseWrite(extensions, { constraint: "unique", item }, unavailable());
  };

  const members = {
    list: sharePages(extensions.reduce((read, extension) => extension.list?.(read) ?? read, readPage)),
    async create(item, { idempotencyKey } = { idempotencyKey: undefined }) {
      const made = { id: randomUUIDv7(), ...item, createdAt: new Date().toISOString() };
      if (!idempotencyKey && insertInGroup) {
        await insertInGroup(toRow(made, toValues(item)));
        return JSON.stringify(made);
      }
      return createAlone(item, made, idempotencyKey).catch((error) =>
        refuseWrite(extensions, { constraint: readConstraint(error), item }, error),
      );
    },
    async get(id) {
      const [stored] = isId(id) ? await query(oneItem, [id]) : [];
      return stored && JSON.parse(stored);
    },
    count: async () => Number((await query(`SELECT count(*) FROM "${name}"`, []))[0]),
  } satisfies Partial<Table<T>>;
  return Object.assign(members, ...extensions.map((extension) => extension.members));
}

/** Separates the items of a page: JSON never contains it. */
const separator = "\u001f";

/** The items of a page in one value, which costs less than a row each; null if there may be too much for one page. */
const joinItems = (page: string) => `
  SELECT CASE
    WHEN sum(coalesce(octet_length(item), ${maxPageBytes + 1})) <= ${maxPageBytes}
      THEN string_agg(item, '${separator}' ORDER BY insert_order DESC)
    WHEN count(*) = 0 THEN ''
  END FROM (${page}) page`;

/** Pages after each cursor of a list. The planner expects the same of any list in JSON, and keeps its plan. */
const joinPages = (page: string) => `
  SELECT (${joinItems(page)}) FROM json_array_elements_text($1) WITH ORDINALITY AS asked (cursor, number) ORDER BY number`;

const splitItems = (joined: string) => (joined === "" ? [] : joined.split(separator));

/** The positions of the items that fit on a page, and of at most one more if the items have no more bytes than they were measured. */
const findFitting = (page: string) => `
  SELECT insert_order FROM (
    SELECT insert_order, sum(bytes) OVER (ORDER BY insert_order DESC) - bytes AS before FROM (${page}) page
  ) page WHERE before <= ${maxPageBytes}`;

/** Creates the table, or adds the columns of new fields. */
async function planTable<T extends object>(db: Client, resource: Resource<T>): Promise<Change[]> {
  const { name } = resource;
  const columns = toTableColumns(resource.columns, sqlTypes);
  const text = `
    SELECT attname, format_type(atttypid, atttypmod), attnotnull
    FROM pg_attribute WHERE attrelid = to_regclass('"${name}"') AND attnum > 0 AND NOT attisdropped`;
  const { rows } = await db.query<[string, string, boolean]>({ text, rowMode: "array" });
  const create = `
    CREATE TABLE "${name}" (
      insert_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      ${columns.map((column) => `${defineColumn(column)},`).join(" ")}
      created_at timestamptz NOT NULL,
      idempotency_key text UNIQUE
    )`;
  if (rows.length === 0) return [() => changeShortly(db, create)];
  const own = ["insert_order", "id", "created_at", "idempotency_key"];
  const others = rows.filter(([column]) => !own.includes(column));
  const lacking = findNewColumns(name, columns, others, !(await isEmpty(db, name)));
  const additions = lacking.map((column) => `ADD COLUMN ${defineColumn(column)}`);
  return additions.length > 0 ? [() => changeShortly(db, `ALTER TABLE "${name}" ${additions}`)] : [];
}

/** The value of a column. The driver would write a list as a PostgreSQL array. */
function toSql(item: object, { name, type }: TableColumn): unknown {
  const value = (item as Record<string, unknown>)[name];
  return type === "json" ? JSON.stringify(value) : value;
}

function toStartError(error: unknown): StartError {
  const { message } = error as Error;
  if (message.startsWith("migrations")) return new StartError(message);
  return new StartError(`The database of DATABASE_URL cannot be used: ${explain(error)}`);
}
