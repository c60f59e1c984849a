import type { DatabaseSync } from "node:sqlite";
import type { SqliteHooks } from "../../store/sqlite.ts";
import { extendReferences, listReferences, type Reference } from "./references.ts";

export const sqlite: SqliteHooks = {
  extendTable(table, { query }) {
    const references = listReferences(table.resource);
    return {
      ...extendReferences(references, query),
      define: (definitions) => addForeignKeys(definitions, references),
      make(db) {
        if (table.extensions.some(({ hasDeletions }) => hasDeletions)) makeIndexes(db, table.resource.name, references);
      },
    };
  },
};

/** Adds foreign keys to the reference columns: SQLite accepts these only when a column is created. */
function addForeignKeys(definitions: Map<string, string>, references: Reference[]): void {
  for (const { field, table } of references)
    definitions.set(field, `${definitions.get(field)} REFERENCES "${table}" (id)`);
}

/** Without these indexes, each deletion would scan the tables that may refer to the item. */
function makeIndexes(db: DatabaseSync, name: string, references: Reference[]): void {
  for (const { field } of references)
    db.exec(`CREATE INDEX IF NOT EXISTS "${name}_${field}_reference" ON "${name}" ("${field}")`);
}
