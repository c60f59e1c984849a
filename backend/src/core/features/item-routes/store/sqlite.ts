import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { readConstraint, type SqliteAccess, type SqliteHooks, type SqliteTable } from "../../../store/sqlite.ts";
import { refuseWrite } from "../../../store/store.ts";
import { pruneLater } from "./prune.ts";
import { continueLists, type Rows } from "./rows.ts";
import { printAdditionalTables } from "./tables.ts";

/** Tables whose single items can be changed. */
export const sqlite: SqliteHooks = {
  extendTable(table, access) {
    const { resource } = table;
    const { query } = access;
    pruneLater(resource.name, query, { access });
    return {
      make: (db) => makeAdditionalTables(db, resource.name),
      findAnswer: (key) => one(table.db, `SELECT item FROM "${resource.name}_keys" WHERE key = ?`, [key]),
      list: (list) => continueLists(list, resource.name, query),
      hasDeletions: true,
      members: { rows: createRows(table, access) },
    };
  },
};

/** The rows of a table. Several changes share a transaction; if one is refused, only that one fails. */
function createRows<T extends object>(table: SqliteTable<T>, { run, write }: SqliteAccess): Rows<T> {
  const { name, columns } = table.resource;
  const find = (id: string) => one<string>(table.db, `SELECT ${table.json} FROM "${name}" WHERE id = ?`, [id]);
  const change = (id: string, stored: string, item: T | undefined, work: (db: DatabaseSync) => void) =>
    write<boolean>(() => {
      if (find(id) !== stored) return () => false;
      try {
        keepAnswer(table.db, name, id, stored);
        work(table.db);
        return () => true;
      } catch (error) {
        const constraint = readConstraint(error);
        if (!constraint) throw error;
        return () => refuseWrite(table.extensions, { constraint, id, item }, error);
      }
    });
  return {
    find: (id) => run(() => find(id)),
    swap: (id, stored, item) =>
      change(id, stored, item, (db) => {
        const values = Object.keys(columns).map((field) => `"${field}" = ?`);
        db.prepare(`UPDATE "${name}" SET ${values} WHERE id = ?`).run(...table.toValues(item), id);
      }),
    remove: (id, stored) =>
      change(id, stored, undefined, (db) => {
        const order = one<SQLInputValue>(db, `DELETE FROM "${name}" WHERE id = ? RETURNING insert_order`, [id]);
        const keep = `INSERT INTO "${name}_deleted" (id, insert_order, kept_at) VALUES (?, ?, ${now})`;
        db.prepare(keep).run(id, order ?? null);
      }),
  };
}

const now = "(CAST(unixepoch('subsec') * 1000 AS integer))";

/** Makes the additional tables of a table. Those of the first versions have no `kept_at`. */
function makeAdditionalTables(db: DatabaseSync, name: string): void {
  const columnNames = db.prepare("SELECT name FROM pragma_table_info(?)");
  for (const table of [`${name}_keys`, `${name}_deleted`]) {
    const columns = (columnNames.all(table) as unknown as string[][]).flat();
    if (columns.length === 0) {
      db.exec(printAdditionalTables(name, { id: "text", now }));
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

/** The first value of the first row. */
function one<Value>(db: DatabaseSync, text: string, values: SQLInputValue[]): Value | undefined {
  const [value] = (db.prepare(text).get(...values) ?? []) as unknown as Value[];
  return value;
}
