import type { DatabaseSync } from "node:sqlite";
import { explainRepeated, type WithUnique } from "./unique.ts";

/** Makes an index for each unique field; SQLite cannot add a unique column to a table. */
export function makeUnique(db: DatabaseSync, { name, unique = [] }: WithUnique): void {
  for (const field of unique)
    try {
      db.exec(`CREATE UNIQUE INDEX IF NOT EXISTS "${name}_${field}" ON "${name}" ("${field}")`);
    } catch (error) {
      throw (error as { errcode?: number }).errcode === uniqueViolation
        ? new Error(explainRepeated(name, field))
        : error;
    }
}

/** https://www.sqlite.org/rescode.html#constraint_unique */
const uniqueViolation = 2067;
