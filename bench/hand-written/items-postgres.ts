import { randomUUID } from "node:crypto";
import { Pool } from "pg";
import type { Item, Page } from "./items.ts";

/** The items of a hand-written backend on PostgreSQL, with as many connections as ours. */
const pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  max: Number(process.env["DATABASE_POOL_SIZE"] ?? 10),
});
const isReady = pool.query(`
  CREATE TABLE IF NOT EXISTS items (
    insert_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    name text NOT NULL,
    created_at timestamptz NOT NULL
  )`);

const pageSize = 20;
const first = `SELECT id, name, created_at FROM items ORDER BY insert_order DESC LIMIT ${pageSize + 1}`;
const after = `
  SELECT id, name, created_at FROM items
  WHERE insert_order < (SELECT insert_order FROM items WHERE id = $1)
  ORDER BY insert_order DESC LIMIT ${pageSize + 1}`;
const insert = "INSERT INTO items (id, name, created_at) VALUES ($1, $2, $3)";

type Row = { id: string; name: string; created_at: Date };

export async function ping(): Promise<void> {
  await pool.query("SELECT 1");
}

/** One page, newest first. */
export async function listItems(cursor?: string): Promise<Page> {
  await isReady;
  const { rows } = await (cursor === undefined ? pool.query<Row>(first) : pool.query<Row>(after, [cursor]));
  const items = rows.slice(0, pageSize).map(toItem);
  return { items, nextCursor: rows.length > pageSize ? (items.at(-1)?.id ?? null) : null };
}

/** The item is durable when it resolves: the statement is one transaction. */
export async function createItem(name: string): Promise<Item> {
  const item = { id: randomUUID(), name, createdAt: new Date().toISOString() };
  await pool.query(insert, [item.id, item.name, item.createdAt]);
  return item;
}

function toItem({ id, name, created_at }: Row): Item {
  return { id, name, createdAt: created_at.toISOString() };
}
