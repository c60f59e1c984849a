import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "pg";
import { log } from "../log.ts";
import { StartError } from "../problem.ts";
import { isReadOnly } from "./connection.ts";

/** A file in `migrations/`: SQL that one database needs once. */
export interface Migration {
  number: number;
  /** `0001-what`, without the name of the database. */
  name: string;
  path: string;
  text: string;
  checksum: string;
  /** Its only statement, if it must run outside a transaction. */
  alone: string | undefined;
}

/** What the database knows about a migration that was applied. */
export interface Recorded {
  number: number;
  name: string;
  checksum: string;
  appliedAt: string;
}

/** In the project's folder; in production beside the bundle. */
const ownFolder = () => fileURLToPath(new URL("../../../migrations/", import.meta.url));

/** The table that records what was applied. */
export const record = "applied_migrations";

/** The migrations for a kind of database, in their order. Files that have no order are refused. */
export function readMigrations(database: string, folder = ownFolder()): Migration[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /\.sql$/i.test(file)) : [];
  const all = files.sort().map((file) => {
    const [, name = "", kind = ""] = /^((?!0000)\d{4}-[a-z0-9][a-z0-9_-]*)\.([a-z]+)\.sql$/.exec(file) ?? [];
    // A project may have files for a database that it no longer keeps.
    if (!kinds.includes(kind)) throw new StartError(`migrations/${file}: name it like 0001-what.${database}.sql`);
    return { file, number: Number(name.slice(0, 4)), name, kind };
  });
  const own = all.filter(({ kind }) => kind === database);
  const last = all.at(-1)?.number ?? 0;
  refuseRepeated(own);
  refuseGaps(all, 1, last, "");
  // A database that a project has later begins with the next number.
  if (own[0]) refuseGaps(own, own[0].number, last + 1, ` for ${database}; it may be empty`);
  return own.map(({ file, number, name }) => {
    const path = `migrations/${file}`;
    // Git may write other line ends on another machine.
    const given = decode(path, readFileSync(join(folder, file))).replaceAll("\r\n", "\n");
    // Some editors write a byte order mark, which is no SQL.
    const text = given.replace(/^\uFEFF/, "");
    const isAlone = /^-- no transaction *(\n|$)/.test(text);
    const statements = readStatements(text);
    if (isAlone && statements.length !== 1)
      throw new StartError(`${path}: what runs outside a transaction is one statement; this has ${statements.length}`);
    return {
      number,
      name,
      path,
      text,
      checksum: createHash("sha256").update(given).digest("hex"),
      alone: isAlone ? statements[0] : undefined,
    };
  });
}

/** The databases that files may be for. */
const kinds = ["sqlite", "postgres"];

function decode(path: string, bytes: Buffer): string {
  // SQLite would end the file there.
  if (!isUtf8(bytes) || bytes.includes(0)) throw new StartError(`${path} is not text in UTF-8; save it as that`);
  return bytes.toString();
}

function refuseRepeated(migrations: { number: number; name: string }[]): void {
  const index = migrations.findIndex(({ number }, index) => migrations[index - 1]?.number === number);
  const [one, other] = migrations.slice(Math.max(0, index - 1));
  if (index > 0)
    throw new StartError(`migrations: ${one?.name} and ${other?.name} have the same number; give one the next number`);
}

function refuseGaps(migrations: { number: number }[], first: number, last: number, rest: string): void {
  for (let number = first; number < last; number++)
    if (!migrations.some((one) => one.number === number))
      throw new StartError(`migrations: there is no ${String(number).padStart(4, "0")}${rest}`);
}

/** What is not applied yet. A database that knows other migrations is refused; newer ones are those of a newer release. */
export function findPending(migrations: Migration[], recorded: Recorded[]): Migration[] {
  const last = migrations.at(-1)?.number ?? 0;
  const newest = recorded.at(-1);
  for (const { number, name, checksum, appliedAt } of recorded) {
    const file = migrations.find((one) => one.number === number);
    if (number > last || number === beginning) continue;
    if (file?.name !== name)
      throw new StartError(`migrations: ${name} was applied to this database, but its file is missing; restore it`);
    if (file.checksum !== checksum)
      throw new StartError(
        `${file.path} was changed after it was applied (${appliedAt}); restore it, and write another`,
      );
  }
  const pending = migrations.filter(({ number }) => !recorded.some((one) => one.number === number));
  const late = pending.find(({ number }) => newest && number < newest.number);
  if (late && newest)
    throw new StartError(`${late.path} comes before ${newest.name}, which is applied; give it the next number`);
  return pending;
}

/** Whether the tables are still to be made: the database has none of those that the code or a migration names. */
export function isNewDatabase(found: string[], tables: CodeTable[], migrations: Migration[]): boolean {
  const names = tables.map(({ name }) => name);
  return !found.some((table) => names.includes(table) || migrations.some(({ text }) => namesTable(text, table)));
}

function namesTable(sql: string, table: string): boolean {
  const before = String.raw`\b(?:table|exists|only|to|into|update|from|join|on|references)\s+(?:"?[\w$-]+"?\.)?`;
  const name = RegExp.escape(table);
  return new RegExp(`${before}(?:"${name}"|${name}(?![\\w$]))`, "i").test(sql);
}

/** A table as the code has it now. */
export interface CodeTable {
  name: string;
  columns: object;
}

/** The number of a record that is there until a new database has its tables, and what the migrations add to them. */
export const beginning = 0;

/** The tables that a new database had before the first migration was run; nothing if none was. */
export function readFound(recorded: Recorded[]): string[] | undefined {
  const text = recorded.find(({ number }) => number === beginning)?.checksum;
  return text ? JSON.parse(text) : undefined;
}

/** SQL that keeps them, for a process that goes on after a fault. */
export const keepFound = (found: string[]) =>
  `UPDATE ${record} SET checksum = '${JSON.stringify(found).replaceAll("'", "''")}' WHERE number = ${beginning}`;

/** What migrations are for a new database, which has the tables of the code as they are now. */
export interface Division {
  /** Those that change tables of the code, whatever the names of these were. */
  made: Migration[];
  /** Whether the others, which are the owner's, may miss what these have made, or a table that the code had once. */
  mayMiss: boolean;
}

/** An action on a table of the code. */
interface Action {
  migration: Migration;
  table: string;
  /** What the code has in it. */
  columns: string[];
  sql: string;
}

/**
 * Reads from their statements what migrations change. The tables of the code are those that a new database has before the first
 * of them is run: `tables`, and others in `found`.
 */
export function divide(migrations: Migration[], tables: CodeTable[], found: string[]): Division {
  const files = migrations.map((migration) => ({ migration, changes: readStatements(migration.text).map(readChange) }));
  const known = files.flatMap(({ changes }) => changes.flatMap(({ created }) => created));
  const now = new Map<string, string[]>(found.map((name) => [name.toLowerCase(), []]));
  for (const { name, columns } of tables) now.set(name.toLowerCase(), Object.keys(columns).map(toName));
  const made = new Set<Migration>();
  const actions: Action[] = [];
  let mayMiss = false;
  // From the last statement to the first, because it is known what the code has now.
  const code = new Map(now);
  for (const { migration, changes } of files.toReversed())
    for (const { created, gone, table, list } of changes.toReversed()) {
      if ([...created, ...gone].some((name) => code.has(name))) made.add(migration);
      const columns = code.get(table);
      if (columns) actions.push(...splitActions(list).map((sql) => ({ migration, table, columns, sql })));
      mayMiss ||= [...gone, table].some((name) => name !== "" && !code.has(name) && !known.includes(name));
      for (const name of created) {
        const columns = code.get(name);
        if (columns) for (const before of gone) code.set(before, columns);
        if (!now.has(name)) code.delete(name);
      }
    }
  for (const migration of listColumnChanges(actions)) made.add(migration);
  for (const migration of listConstraintChanges(actions, made)) made.add(migration);
  return { made: migrations.filter((one) => made.has(one)), mayMiss: mayMiss || made.size > 0 };
}

/** A column is the owner's if the code does not have it, and nothing changes it: otherwise it was one of the code. */
function listColumnChanges(actions: Action[]): Migration[] {
  const changed = actions.flatMap(({ sql }) => matchName(columnChange, sql));
  const isOfCode = ({ sql, columns }: Action) =>
    columnChange.test(sql) ||
    matchName(columnAddition, sql).some((name) => columns.includes(name) || changed.includes(name));
  return actions.filter(isOfCode).map(({ migration }) => migration);
}

/** The code's constraints are those that no migration adds which is run. It has none that check or exclude. */
function listConstraintChanges(actions: Action[], made: Set<Migration>): Migration[] {
  const own = actions.filter(({ migration }) => !made.has(migration)).flatMap(findAddedConstraint);
  const isOfCode = (name: string) => !own.includes(name) && !/_(check|excl)\d*$/.test(name);
  return actions.filter(({ sql }) => matchName(constraintChange, sql).some(isOfCode)).map(({ migration }) => migration);
}

/** Its name, or the one that the database gives it. */
function findAddedConstraint({ table, sql }: Action): string[] {
  const [, kind = "", columns = ""] = /^add (unique|foreign key) ?\(([^)]*)\)/i.exec(sql) ?? [];
  const fields = columns.split(",").map((column) => toName(column.trim()));
  const unnamed = kind && [table, ...fields, kind.toLowerCase() === "unique" ? "key" : "fkey"].join("_");
  return unnamed ? [unnamed] : matchName(constraintAddition, sql);
}

const name = String.raw`((?:"[^"]*"|[^\s"(,])+)`;
const alteration = new RegExp(`^alter table (?:if exists )?(?:only )?${name} (?:\\* )?(.+)$`, "i");
const columnAddition = new RegExp(
  `^add (?:column )?(?:if not exists )?(?!(?:column|if|constraint|unique|primary|foreign|check|exclude)\\b)${name}`,
  "i",
);
const columnChange = new RegExp(
  `^(?:alter|drop|rename) (?:column )?(?:if exists )?(?!(?:column|if|constraint|to)\\b)${name}`,
  "i",
);
const constraintAddition = new RegExp(`^(?:add constraint|rename constraint .* to) ${name}`, "i");
const constraintChange = new RegExp(`^(?:alter|drop|rename) constraint (?:if exists )?${name}`, "i");
const creations = [
  "create (?:(?:or|replace|temp|temporary|unlogged|foreign|virtual|materialized|recursive) )*(?:table|view) (?:if not exists )?",
  "select .* into (?:(?:temp|temporary|unlogged) )?(?:table )?",
  "alter (?:table|view|materialized view|foreign table) .* rename to ",
].map((start) => new RegExp(`^${start}${name}`, "i"));

const matchName = (pattern: RegExp, sql: string) => (pattern.exec(sql)?.slice(1) ?? []).map(toName);

const toName = (sql: string) => (sql.replaceAll('"', "").split(".").at(-1) ?? "").toLowerCase();

/** The tables and views that are there only after a statement, those only before it, and the table that it alters. */
function readChange(statement: string) {
  const created = creations.flatMap((pattern) => matchName(pattern, statement));
  const [, dropped] = /^drop table (?:if exists )?(.+?)(?: cascade| restrict)?$/i.exec(statement) ?? [];
  const gone = dropped?.split(",").map((name) => toName(name.trim())) ?? [];
  const [, altered = "", list = ""] = alteration.exec(statement) ?? [];
  const table = toName(altered);
  return /^rename to\b/i.test(list) ? { created, gone: [table], table: "", list: "" } : { created, gone, table, list };
}

/** The actions of an `ALTER TABLE`, which are separated by commas outside of brackets. */
const splitActions = (list: string) => list.split(/,(?![^(]*\))/).map((action) => action.trim());

/** Says that a migration is not run in a new database, and what its owner may miss. */
export function skip({ name, text }: Migration, reason = ""): void {
  const statements = readStatements(text);
  const isRebuilt = statements.some((statement) => /^alter table \S+ rename to\b/i.test(statement));
  const adds = (statement: string) =>
    /^(create|insert)\b|\badd constraint\b/i.test(statement) && !isMadeAnyway.test(statement);
  const lacking = isRebuilt ? undefined : statements.find(adds);
  if (lacking === undefined && reason === "") return;
  const message = "a migration is not run, because the tables of this new database come from the code";
  log("warn", message, { migration: name, ...(reason ? { reason } : { lacking }) });
}

/** What ends with the connection, and an index that a start makes itself. */
const isMadeAnyway = /^create (temp |unique index "([^"]+)_([^"]+)" on "\2" \("\3"\)$)/i;

/** After a rollback, or if a file was removed. */
export function warnOfNewer(migrations: Migration[], recorded: Recorded[]): void {
  const last = migrations.at(-1)?.number ?? 0;
  const newer = recorded.filter(({ number }) => number > last).map(({ name }) => name);
  if (newer.length > 0) log("warn", "the database has migrations that this release does not have", { newer });
}

/** A line for each migration: what `npm run migrate` prints. */
export function listStates(
  migrations: Migration[],
  before: Recorded[],
  after: Recorded[],
  skipped: Migration[],
): string[] {
  const lines = migrations.map(({ number, name }) => {
    const now = after.find((one) => one.number === number);
    const isNew = !before.some((one) => one.number === number);
    if (skipped.some((one) => one.name === name)) return `${name}  recorded: the database is new`;
    return `${name}  ${now ? `applied ${isNew ? "now" : now.appliedAt}` : "pending"}`;
  });
  const last = migrations.at(-1)?.number ?? 0;
  const newer = after.filter(({ number }) => number > last).map(({ name }) => `${name}  applied by a newer release`);
  return lines.length + newer.length > 0 ? [...lines, ...newer] : ["There are no migrations."];
}

/** SQL that records migrations. */
export const insertAll = (migrations: Migration[]) =>
  migrations.map(
    ({ number, name, checksum }) =>
      `INSERT INTO ${record} (number, name, checksum) VALUES (${number}, '${name}', '${checksum}');`,
  );

/** Refuses a migration with one line. */
export function fail({ path }: Migration, where: string, reason: string, cause?: unknown): never {
  const how = /transaction block|within a transaction/.test(reason)
    ? "; write it alone in a file whose first line is: -- no transaction"
    : "";
  throw new StartError(`${path}${where}: ${reason.replaceAll("\n", " ")}${how}. Nothing of this file is applied.`, {
    cause,
  });
}

/** The statements of SQL, without comments, and without what is in strings: only to recognise them. */
export function readStatements(sql: string): string[] {
  const quoted =
    /--[^\n]*|\/\*|\bE'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1/gi;
  let [plain, at] = ["", 0];
  for (let found = quoted.exec(sql); found; found = quoted.exec(sql)) {
    plain += sql.slice(at, found.index);
    if (found[0].startsWith('"')) plain += found[0].replaceAll(";", "_");
    else plain += /^(--|\/\*)/.test(found[0]) ? " " : "''";
    if (found[0] === "/*") quoted.lastIndex = findCommentEnd(sql, found.index);
    at = quoted.lastIndex;
  }
  const statements = (plain + sql.slice(at)).split(";").map((one) => one.trim().replaceAll(/\s+/g, " "));
  return statements.filter((statement) => statement !== "");
}

/** Not every database has comments within comments. */
function findCommentEnd(sql: string, start: number): number {
  let depth = 0;
  for (const { 0: mark, index } of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1;
    if (depth === 0) return start + index + 2;
  }
  const end = sql.indexOf("*/", start);
  return end < 0 ? sql.length : end + 2;
}

/** For the log. */
export function describeApplied({ name }: Migration, start: number): Record<string, unknown> {
  return { migration: name, ms: Math.round(performance.now() - start) };
}

/** What is missing in the tables of the database; nothing, most of the time. */
export type Plan = (db: Client) => Promise<Change[]>;
export type Change = () => Promise<void>;

/** In a transaction. Older servers do not have all of them. */
const liftTimeouts = `
  SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN ('statement_timeout', 'transaction_timeout')`;

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
    await expectUnicode(db);
    if (await isComplete(plans, db)) return;
    await turn.connect();
    await takeTurn(turn);
    await requireSecond(db);
    for (const plan of plans) for (const change of await plan(db)) await change();
  } finally {
    await Promise.allSettled([db.end(), turn.end()]);
  }
}

/** In another encoding, some texts could not be stored. */
async function expectUnicode(db: Client): Promise<void> {
  const text = "SELECT current_setting('server_encoding')";
  const [[encoding = ""] = []] = (await db.query<[string]>({ text, rowMode: "array" })).rows;
  if (!["UTF8", "SQL_ASCII"].includes(encoding))
    throw new StartError(`its encoding is ${encoding}; use a database with the encoding UTF8`);
}

/** A pooler with a single connection to the server has given it to the turn. */
async function requireSecond(db: Client): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(maxPauseMs, undefined, timeout).then(() => {
    throw new Error(
      "changing tables takes two connections, and one got no answer; let a pooler have at least two to the server",
    );
  });
  await Promise.race([db.query("SELECT"), late]).finally(() => timeout.abort());
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
    // With another level, which a role may have, it would keep a snapshot, too.
    await db.query("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0");
    await db.query(liftTimeouts);
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
      await db.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${liftTimeouts}; ${sql}; COMMIT`);
      return;
    } catch (error) {
      await rollBack(db);
      if (!isLocked(error)) throw error;
      await pauseForOthers(tries);
    }
  }
}

/** What has failed may also have closed the connection; it is that which is reported. */
const rollBack = (db: Client) => db.query("ROLLBACK").catch(() => {});

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
  tables: CodeTable[];
  readMigrations(): Migration[];
  /** Runs at the beginning of each transaction. */
  begin?: ((db: Client) => Promise<void>) | undefined;
  /** Runs before a statement outside a transaction, and may refuse it. */
  checkAlone?: ((db: Client, migration: Migration, statement: string) => Promise<void>) | undefined;
  /** The database is new, and does not have everything yet. */
  isBegun: boolean;
  /** Recorded without being run. */
  skipped: Migration[];
}

/** What is pending in PostgreSQL: each file in a transaction of its own, one process at a time. */
export async function planMigrations(db: Client, migrating: Migrating): Promise<Change[]> {
  const migrations = migrating.readMigrations();
  const transact = <T>(work: () => Promise<T>) => inTransaction(db, migrating, work);
  const recorded = migrations.length > 0 ? await transact(() => selectRecord(db)) : [];
  migrating.isBegun = recorded.some(({ number }) => number === beginning);
  if (migrations.length > 0) warnOfNewer(migrations, recorded);
  const pending = findPending(migrations, recorded);
  for (const migration of pending) refuseTransactions(migration);
  if (pending.length === 0 || migrating.isBegun) return [];
  if (!isNewDatabase(await transact(() => listTables(db)), migrating.tables, migrations))
    return pending.map((migration) => () => run(db, migrating, migration));
  const begin = async () => {
    await lockRecord(db);
    await db.query(
      `INSERT INTO ${record} (number, name, checksum) VALUES (${beginning}, '', '') ON CONFLICT DO NOTHING`,
    );
  };
  return [
    async () => {
      await transact(begin);
      migrating.isBegun = true;
    },
  ];
}

/** In a new database, after its tables were made from the code: the files that add something else are run. */
export async function planOwn(db: Client, migrating: Migrating): Promise<Change[]> {
  if (!migrating.isBegun) return [];
  const transact = <T>(work: () => Promise<T>) => inTransaction(db, migrating, work);
  const migrations = migrating.readMigrations();
  const recorded = await transact(() => selectRecord(db));
  const found = readFound(recorded) ?? (await transact(() => listTables(db)));
  const { made, mayMiss } = divide(migrations, migrating.tables, found);
  const skipOne = async (migration: Migration, reason?: string) => {
    await transact(() => recordAll(db, [migration]));
    migrating.skipped.push(migration);
    skip(migration, reason);
  };
  const keep = () => transact(async () => void (await db.query(keepFound(found))));
  const changes = findPending(migrations, recorded).map((migration) => async () => {
    if (made.includes(migration)) return skipOne(migration);
    await run(db, migrating, migration).catch((error: Error) => {
      if (!mayMiss || !isUnknown(error.cause)) throw error;
      return skipOne(migration, error.message);
    });
  });
  const end = async () => {
    await transact(() => db.query(`DELETE FROM ${record} WHERE number = ${beginning}`));
    migrating.isBegun = false;
  };
  return [keep, ...changes, end];
}

/** What the tables do not have any more, or have already: the file was written for those of its time. */
const isUnknown = (error: unknown) =>
  ["42P01", "42703", "42704", "42701", "42P07", "42710", "23502"].includes((error as { code?: string })?.code ?? "");

async function run(db: Client, migrating: Migrating, migration: Migration): Promise<void> {
  const start = performance.now();
  const { alone } = migration;
  if (alone !== undefined) await runAlone(db, migrating, migration, alone);
  await inTransaction(db, migrating, () =>
    alone === undefined ? apply(db, migrating, migration) : recordAll(db, [migration]),
  );
  log("info", "applied a migration", describeApplied(migration, start));
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
export async function inTransaction<T>(db: Client, { begin }: Migrating, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      await db.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${liftTimeouts}`);
      await begin?.(db);
      const result = await work();
      await db.query("COMMIT");
      return result;
    } catch (error) {
      await rollBack(db);
      if (!isLocked(error)) throw error;
      await pauseForOthers(tries);
    }
  }
}

/** A `COMMIT` would leave half of a file without a record. */
function refuseTransactions(migration: Migration): void {
  const statements = readStatements(migration.text);
  const isBody = statements.some((statement) => /\bbegin atomic\b/i.test(statement));
  const ends =
    /^(begin|start transaction|commit|rollback(?! (?:(?:work|transaction) )?to\b)|abort|end|prepare transaction)\b/i;
  const found = statements.find((one) => ends.test(one) && !(isBody && /^end\b/i.test(one)));
  if (found) fail(migration, "", `${found} is not for a migration, which is one transaction anyway; remove it`);
}

async function apply(db: Client, { begin }: Migrating, migration: Migration): Promise<void> {
  await lockRecord(db).catch((error) => explain(migration, error));
  const { rowCount } = await db.query(`SELECT FROM ${record} WHERE number = ${migration.number}`);
  if (rowCount !== 0) return;
  const canWrite = true;
  await db
    .query(migration.text)
    .catch((error) => explain(migration, error, { where: findLine(migration, error), canWrite }));
  const finish = async () => {
    // Settings of the file that are not local would stay, behind a pooler for others; one may be a search path.
    await db.query("RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; SET client_encoding = 'UTF8'");
    await db.query("SET LOCAL statement_timeout = 0");
    await liftTimeout(db);
    await begin?.(db);
    // What the file defers to the end of the transaction fails here, where its name is known.
    await db.query("SET CONSTRAINTS ALL IMMEDIATE");
    await db.query(insertAll([migration]).join(""));
  };
  await finish().catch((error) => explain(migration, error, { canWrite }));
}

interface DatabaseError extends Error {
  code?: string;
  /** Where in the SQL it is. */
  position?: string;
  /** Only errors that the server or a pooler sends have one. */
  severity?: string;
}

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: connections, transactions that meet others, resources, an end
 * of the server, its system and disk, locks.
 */
const isPassing = (error: DatabaseError) => /^(08|40|53|57P|580|55P03)/.test(error.code ?? "");

/**
 * What the server cannot do now is tried again later; everything else is a fault of the file. That includes a transaction that
 * cannot write, if the server can.
 */
function explain(migration: Migration, error: DatabaseError, { where = "", canWrite = false } = {}): never {
  // The driver has no rows for it.
  const isCopy = error.code === "57014" && /COPY|source stream/.test(error.message);
  if (isCopy) fail(migration, "", "COPY … FROM STDIN is not for a migration; write INSERT statements");
  if (error.severity === undefined || isPassing(error) || (isReadOnly(error) && !canWrite)) throw error;
  return fail(migration, where, error.message, error);
}

function findLine({ text }: Migration, { position }: DatabaseError): string {
  const lines = text.slice(0, Number(position ?? 0)).split("\n").length;
  return position ? `, line ${lines}` : "";
}

/**
 * What a killed process began is finished: of an index that is built concurrently, an invalid rest is dropped first, and a
 * complete one is recorded.
 */
async function runAlone(db: Client, { checkAlone }: Migrating, migration: Migration, statement: string): Promise<void> {
  const parts = /^create (?:unique )?index concurrently (?:if not exists )?(\S+) on (?:only )?([^\s(]+)/i.exec(
    statement,
  );
  const [, name, table = ""] = parts ?? [];
  await checkAlone?.(db, migration, statement);
  // An index is in the schema of its table.
  const index = table.includes(".") ? `${table.split(".")[0]}.${name}` : name;
  const isMade = index !== undefined && (await settleIndex(db, index));
  if (!isMade)
    await db.query(migration.text).catch(async (error) => {
      if (index !== undefined) await settleIndex(db, index);
      explain(migration, error, { where: findLine(migration, error) });
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
