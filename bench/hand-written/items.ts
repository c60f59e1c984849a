import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

/** The items of a hand-written backend, as durable as ours. */
const db = new DatabaseSync(new URL(process.env["DATABASE_URL"] ?? ""));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS items (
    insert_order INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL
  )`);

const pageSize = 20;
const one = db.prepare("SELECT 1");
const first = db.prepare(`SELECT id, name, created_at FROM items ORDER BY insert_order DESC LIMIT ${pageSize + 1}`);
const after = db.prepare(`
  SELECT id, name, created_at FROM items
  WHERE insert_order < (SELECT insert_order FROM items WHERE id = ?)
  ORDER BY insert_order DESC LIMIT ${pageSize + 1}`);
const insert = db.prepare("INSERT INTO items (id, name, created_at) VALUES (?, ?, ?)");

type Row = { id: string; name: string; created_at: string };

export interface Item {
  id: string;
  name: string;
  createdAt: string;
}

export interface Page {
  items: Item[];
  nextCursor: string | null;
}

export function ping(): void | Promise<void> {
  one.get();
}

/** One page, newest first. */
export function listItems(cursor?: string): Page | Promise<Page> {
  const rows = (cursor === undefined ? first.all() : after.all(cursor)) as Row[];
  const items = rows.slice(0, pageSize).map(toItem);
  return { items, nextCursor: rows.length > pageSize ? (items.at(-1)?.id ?? null) : null };
}

/** The item is durable when it returns: the statement is one transaction. */
export function createItem(name: string): Item | Promise<Item> {
  const item = { id: randomUUID(), name, createdAt: new Date().toISOString() };
  insert.run(item.id, item.name, item.createdAt);
  return item;
}

function toItem({ id, name, created_at }: Row): Item {
  return { id, name, createdAt: created_at };
}
