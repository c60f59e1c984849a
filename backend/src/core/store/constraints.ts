import type { Client } from "pg";
import type { Constraint } from "./store.ts";

/** The constraints of a table that have one field each, by that field. */
export async function findConstraints(db: Client, table: string, kind: Constraint) {
  const text = `
    SELECT attname, conname, convalidated
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND ARRAY[attnum] = conkey
    WHERE conrelid = to_regclass('"${table}"') AND contype = '${kind[0]}'`;
  const { rows } = await db.query<[string, string, boolean]>({ text, rowMode: "array" });
  return new Map(rows.map(([field, name, isValid]) => [field, { name, isValid }]));
}
