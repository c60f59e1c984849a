import { isDeepStrictEqual } from "node:util";
import { keyReused } from "../problem.ts";
import { type Creation, type Page, type Resource, type Stored, unknownCursor } from "../resource.ts";

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
  list(page: Page): Promise<string>;
  /** The new item as JSON text, or the one that an earlier creation with the same idempotency key made. */
  create(item: T, creation?: Creation): Promise<string>;
  /** The item with this id, if there is one. */
  get(id: string): Promise<Stored<T> | undefined>;
  count(): Promise<number>;
}

/** What a feature adds to a table. */
export interface TableExtension {
  /** Wraps the function that reads a page. */
  list?(list: List): List;
  members?: object;
}

/** The name of a table without that of its schema, if it has one. */
export const toPlainName = (table: string) => table.slice(table.lastIndexOf('"') + 1);

export type List = (page: Page) => Promise<string>;

/** A page has at most this many bytes, but at least one item. */
export const maxPageBytes = 2 ** 20;

export function notOpen(): never {
  throw new Error("The database is not open yet: use it in a handler, or in store.onOpen.");
}

/** The JSON of a page. `items` has one item more than the page if another page follows. */
export function printPage(items: string[], { limit, cursor }: Page): string {
  if (cursor && items.length === 0) throw unknownCursor();
  const shown = items.slice(0, countFitting(items, limit));
  const nextCursor = shown.length < items.length ? JSON.parse(shown.at(-1) ?? "").id : null;
  return `{"items":[${shown}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

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
