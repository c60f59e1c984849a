import { isDeepStrictEqual } from "node:util";
import type { Column, ColumnType } from "../fields/field.ts";
import { keyReused, type Problem } from "../problem.ts";
import {
  type Creation,
  type Json,
  type Page,
  type Resource,
  type Stored,
  type StoredPage,
  unknownCursor,
} from "../resource.ts";

export interface StoreConfig {
  databaseUrl: string;
  handlerTimeoutMs: number;
  /** Whether migrations are applied when the store is opened: yes, unless it is `off`. */
  migrate?: string;
  /** Where they are, if not in the project's own folder. */
  migrationsFolder?: string;
}

/** Where resources are stored. Features add to it. If the database cannot be used, its methods throw `unavailable`. */
export interface Store {
  /** The table of a resource. It is created or checked when the store is opened. */
  table<T extends object>(resource: Resource<T>): Table<T>;
  open(): Promise<void>;
  /** Applies migrations without opening the store, or only lists them: one line each. */
  migrate(isPlanOnly: boolean): Promise<string[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A write returns once it is durable. Features add members. */
export interface Table<T> {
  /** One page, newest first, as JSON text: `{ items, nextCursor }`. */
  list(page?: Partial<Page>): Promise<Json<StoredPage<T>>>;
  /** The new item as JSON text, or the one that an earlier creation with the same idempotency key made. */
  create(item: T, creation?: Creation): Promise<Json<Stored<T>>>;
  /** The item with this id, if there is one. */
  get(id: string): Promise<Stored<T> | undefined>;
  count(): Promise<number>;
}

/** What a feature adds to a table. */
export interface TableExtension {
  /** Wraps the function that reads a page. */
  list?(list: List): List;
  /** Finds out why the database refused a write; nothing if this feature is not the reason. */
  explain?(write: RefusedWrite): Promise<Problem | undefined>;
  /** Whether items can be deleted. */
  hasDeletions?: boolean;
  members?: object;
}

/** A kind of constraint, as SQL calls it. */
export type Constraint = "unique" | "foreign key";

/** A write that a constraint refused: a creation if it has no `id`, a deletion if it has no `item`. */
export interface RefusedWrite {
  constraint: Constraint | undefined;
  id?: string;
  item?: object | undefined;
}

/** Rejects with the problem that a feature finds, or with the error. */
export async function refuseWrite(extensions: TableExtension[], write: RefusedWrite, error: unknown): Promise<never> {
  if (write.constraint === undefined) throw error;
  const found = await Promise.all(extensions.map(({ explain }) => explain?.(write)));
  const problems = found.filter((problem) => problem !== undefined);
  // Each database has its own order of constraints. A fault of the item comes before a conflict with others.
  throw problems.find(({ status }) => status === 422) ?? problems[0] ?? error;
}

/** Runs a query; its values are `$1`, `$2` and so on in every database. */
export type Query = <Value>(text: string, values: unknown[]) => Promise<Value[][]>;

/** The name of a table without that of its schema, if it has one. */
export const toPlainName = (table: string) => table.slice(table.lastIndexOf('"') + 1);

export type List = (page: Page) => Promise<string>;

/** A page has at most this many bytes, but at least one item. */
export const maxPageBytes = 2 ** 20;

/** A page with an item that has a longer value is not read in one piece: it may be far more than fits. */
export const maxJoinedBytes = maxPageBytes / 16;

/** Columns whose values can be long. */
export const hasLength = ({ type }: TableColumn) => !["number", "integer", "boolean", "id"].includes(type);

export function notOpen(): never {
  throw new Error("The database is not open yet: use it in a handler, or in store.onOpen.");
}

/** The JSON of a page. `items` has one item more than the page if another page follows. */
export function printPage(items: string[], { limit, cursor }: Page): string {
  if (cursor && items.length === 0) throw unknownCursor();
  const shown = items.slice(0, countFitting(items, limit));
  const nextCursor = shown.length < items.length ? `"${readId(shown.at(-1) ?? "")}"` : null;
  return `{"items":[${shown}],"nextCursor":${nextCursor}}`;
}

const start = '{"id":"'.length;

/** The id of an item, which is its first member. */
const readId = (item: string) => item.slice(start, item.indexOf('"', start));

/** How many of the items fit on a page. The size of short ones is estimated, not measured. */
function countFitting(items: string[], limit: number): number {
  let [count, bytes] = [0, 100];
  for (const item of items) {
    bytes += item.length < 1000 ? 3 * item.length : Buffer.byteLength(item) + 1;
    if (count === limit || (count > 0 && bytes > maxPageBytes)) break;
    count++;
  }
  return count;
}

/** The answer to a creation with a used idempotency key: the stored item, if it was created from the same fields. */
export function replayCreation(stored: string, item: object): string {
  const { id, createdAt, ...fields } = JSON.parse(stored);
  if (isDeepStrictEqual(fields, JSON.parse(JSON.stringify(item)))) return stored;
  throw keyReused();
}

type SqlTypes = Record<ColumnType, string>;

/** These are the types of existing tables: another one would be refused there. */
export const sqlTypes: SqlTypes = {
  text: "text",
  number: "double precision",
  integer: "bigint",
  boolean: "boolean",
  json: "json",
  id: "uuid",
};

/** A column of the other type would return 5 as 5.0. */
export const sqliteTypes: SqlTypes = { ...sqlTypes, number: "numeric" };

/** A column in the words of one database. */
export interface TableColumn extends Column {
  name: string;
  sqlType: string;
}

/** The columns of a resource, with the types of a database. */
export function toTableColumns(columns: Record<string, Column>, types: SqlTypes): TableColumn[] {
  return Object.entries(columns).map(([name, column]) => ({
    ...column,
    name,
    sqlType: types[column.type] ?? column.type,
  }));
}

/** The definition of a column in SQL. */
export function defineColumn(column: TableColumn): string {
  const value = column.default === undefined ? "" : ` DEFAULT ${toLiteral(column.default)}`;
  return `"${column.name}" ${describeType(column)}${value}`;
}

/** The type of a column in SQL, and whether it is required. */
export function describeType({ sqlType, isRequired }: Pick<TableColumn, "sqlType" | "isRequired">): string {
  return isRequired ? `${sqlType} NOT NULL` : sqlType;
}

function toLiteral(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** The columns to add to an existing table. A change that a person has to decide on is refused. */
export function findNewColumns(
  table: string,
  wanted: TableColumn[],
  rows: [name: string, sqlType: string, isRequired: unknown][],
  hasItems: boolean,
): TableColumn[] {
  for (const [name, sqlType, isRequired] of rows) {
    const found = { sqlType, isRequired: Boolean(isRequired) };
    const column = wanted.find((one) => one.name === name);
    const isRight = column ? describeType(column) === describeType(found) : !found.isRequired;
    if (!isRight) throw differs(table, name, describeType(found), column ? describeType(column) : "none");
  }
  const lacking = wanted.filter(({ name }) => !rows.some(([found]) => found === name));
  const unknown = lacking.find((column) => hasItems && column.isRequired && column.default === undefined);
  if (unknown) throw differs(table, unknown.name, "missing", describeType(unknown));
  return lacking;
}

function differs(table: string, name: string, found: string, wanted: string): Error {
  return new Error(`column "${name}" of "${table}" is ${found}, but the code says ${wanted}; change one of them`);
}
