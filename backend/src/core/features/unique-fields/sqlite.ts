import type { DatabaseSync } from "node:sqlite";
import { readConstraint, type SqliteHooks } from "../../store/sqlite.ts";
import { explainRepeated, extendUnique, type WithUnique } from "./unique.ts";

export const sqlite: SqliteHooks = {
  extendTable({ resource }, { query }) {
    const extension = extendUnique(resource, query);
    return extension && { ...extension, make: (db) => makeUnique(db, resource) };
  },
};

/** Makes an index for each unique field; SQLite cannot add a unique column to a table. */
function makeUnique(db: DatabaseSync, { name, unique = [] }: WithUnique): void {
  for (const field of unique)
    try {
      db.exec(`CREATE UNIQUE INDEX IF NOT EXISTS "${name}_${field}" ON "${name}" ("${field}")`);
    } catch (error) {
      throw readConstraint(error) === "unique" ? new Error(explainRepeated(name, field)) : error;
    }
}
