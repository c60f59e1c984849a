import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Resource } from "../../../resource.ts";
import { type Query, type Rows, Violation } from "./rows.ts";
import { additionalTables } from "./tables.ts";

/** What the queries of one table need, once it is open. */
export interface Opened<T extends object> {
  db: DatabaseSync;
  resource: Resource<T>;
  /** The SQL expression for an item as JSON. */
  json: string;
  valuesOf(item: T): SQLInputValue[];
}

/** What all tables of the store share: waiting for locks, and transactions. */
interface Shared {
  run<T>(work: () => T): Promise<T>;
  write<T>(work: () => () => T | Promise<T>): Promise<T>;
}

/** The rows of a table. Several changes share a transaction; if one is refused, only that one fails. */
export function sqliteRows<T extends object>(opened: () => Opened<T>, { run, write }: Shared): Rows<T> {
  const find = (id: string): string | undefined => {
    const { db, resource, json } = opened();
    return one(db, `SELECT ${json} FROM "${resource.name}" WHERE id = ?`, [id]) as string | undefined;
  };
  const change = (id: string, stored: string, work: (table: Opened<T>) => void) =>
    write(() => {
      const table = opened();
      if (find(id) !== stored) return () => false;
      try {
        keepAnswer(table.db, table.resource.name, id, stored);
        work(table);
        return () => true;
      } catch (error) {
        const rule = violations.get((error as { errcode: number }).errcode);
        if (!rule) throw error;
        return () => Promise.reject(new Violation(rule));
      }
    });
  return {
    find: (id) => run(() => find(id)),
    swap: (id, stored, item) =>
      change(id, stored, ({ db, resource: { name, columns }, valuesOf }) => {
        const values = Object.keys(columns).map((field) => `"${field}" = ?`);
        db.prepare(`UPDATE "${name}" SET ${values} WHERE id = ?`).run(...valuesOf(item), id);
      }),
    remove: (id, stored) =>
      change(id, stored, ({ db, resource: { name } }) => {
        const order = one(db, `DELETE FROM "${name}" WHERE id = ? RETURNING insert_order`, [id]);
        const keep = `INSERT INTO "${name}_deleted" (id, insert_order, kept_at) VALUES (?, ?, ${now})`;
        db.prepare(keep).run(id, order as SQLInputValue);
      }),
  };
}

/** The first answer to an idempotency key, if its item was changed or deleted since. */
export function firstAnswer(db: DatabaseSync, name: string, key: string | undefined): string | undefined {
  return one(db, `SELECT item FROM "${name}_keys" WHERE key = ?`, [key ?? null]) as string | undefined;
}

/** Runs a query that is written for all databases. */
export function queryOf(opened: () => Pick<Opened<never>, "db">, run: Shared["run"]): Query {
  return (text, values) =>
    run(() => {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      return opened().db.prepare(text).all(named) as unknown as unknown[][];
    });
}

const now = "(CAST(unixepoch('subsec') * 1000 AS integer))";

/** Makes the additional tables of a table. Those of the first versions have no `kept_at`. */
export function makeAdditionalTables(db: DatabaseSync, name: string): void {
  const columnsOf = db.prepare("SELECT name FROM pragma_table_info(?)");
  for (const table of [`${name}_keys`, `${name}_deleted`]) {
    const columns = (columnsOf.all(table) as unknown as string[][]).flat();
    if (columns.length === 0) {
      db.exec(additionalTables(name, { id: "text", now }));
      return;
    }
    if (columns.includes("kept_at")) continue;
    // SQLite adds a column only with a constant; new rows get their own time.
    db.exec(`
      ALTER TABLE "${table}" ADD COLUMN kept_at bigint NOT NULL DEFAULT ${Date.now()};
      CREATE INDEX "${table}_kept" ON "${table}" (kept_at)`);
  }
}

function keepAnswer(db: DatabaseSync, name: string, id: string, stored: string): void {
  const text = `
    INSERT INTO "${name}_keys" (key, item, kept_at)
    SELECT idempotency_key, ?, ${now} FROM "${name}" WHERE id = ? AND idempotency_key IS NOT NULL ON CONFLICT DO NOTHING`;
  db.prepare(text).run(stored, id);
}

function one(db: DatabaseSync, text: string, values: SQLInputValue[]): unknown {
  const [value] = (db.prepare(text).get(...values) ?? []) as unknown as unknown[];
  return value;
}

/** https://sqlite.org/rescode.html: FOREIGNKEY and UNIQUE. */
const violations = new Map<number, Violation["rule"]>([
  [787, "reference"],
  [2067, "unique"],
]);
