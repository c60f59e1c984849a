import type { WithReferences } from "./relations.ts";

/** The columns that refer to something, with their foreign keys: SQLite takes these only where a column is made. */
export function foreignKeys({ columns, references = {} }: WithReferences): Record<string, string> {
  const keys = Object.entries(references).map(([field, to]) => [field, `${columns[field]} REFERENCES "${to}" (id)`]);
  return Object.fromEntries(keys);
}
