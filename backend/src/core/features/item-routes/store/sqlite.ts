import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { SqliteAccess, SqliteHooks, SqliteTable } from "../../../store/sqlite.ts";
import { pruneLater } from "./prune.ts";
import { explainReferences, printReferenceIndexes } from "./relations.ts";
import { continueLists, type Query, type Rows, Violation } from "./rows.ts";
import { printAdditionalTables } from "./tables.ts";
import { explainTaken } from "./unique.ts";

/** Tables whose single items can be changed. */
export const sqlite: SqliteHooks = {
  extendTable(table, access) {
    const { resource } = table;
    const query = createQuery(table, access);
    const rows = createRows(table, access);
    explainTaken(rows, resource, query);
    explainReferences(rows, resource, query);
    pruneLater(resource.name, query, { access });
    return {
      make(db) {
        makeAdditionalTables(db, resource.name);
        db.exec(printReferenceIndexes(resource));
      },
      findAnswer: (key) => one(table.db, `SELECT item FROM "${resource.name}_keys" WHERE key = ?`, [key]),
      list: (list) => continueLists(list, resource.name, query),
      members: { rows },
    };
  },
};

/** The rows of a table. Several changes share a transaction; if one is refused, only that one fails. */
function createRows<T extends object>(table: SqliteTable<T>, { run, write }: SqliteAccess): Rows<T> {
  const { name, columns } = table.resource;
  const find = (id: string) => one<string>(table.db, `SELECT ${table.json} FROM "${name}" WHERE id = ?`, [id]);
  const change = (id: string, stored: string, work: (db: DatabaseSync) => void) =>
    write(() => {
      if (find(id) !== stored) return () => false;
      try {
        keepAnswer(table.db, name, id, stored);
        work(table.db);
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
      change(id, stored, (db) => {
        const values = Object.keys(columns).map((field) => `"${field}" = ?`);
        db.prepare(`UPDATE "${name}" SET ${values} WHERE id = ?`).run(...table.toValues(item), id);
      }),
    remove: (id, stored) =>
      change(id, stored, (db) => {
        const order = one<SQLInputValue>(db, `DELETE FROM "${name}" WHERE id = ? RETURNING insert_order`, [id]);
        const keep = `INSERT INTO "${name}_deleted" (id, insert_order, kept_at) VALUES (?, ?, ${now})`;
        db.prepare(keep).run(id, order ?? null);
      }),
  };
}

/** Runs a query that is written for all databases. */
function createQuery<T extends object>(table: SqliteTable<T>, { run }: SqliteAccess): Query {
  return (text, values) =>
    run(() => {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      return table.db.prepare(text).all(named) as unknown as unknown[][];
    });
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

/** https://sqlite.org/rescode.html: FOREIGNKEY and UNIQUE. */
const violations = new Map<number, Violation["rule"]>([
  [787, "reference"],
  [2067, "unique"],
]);
