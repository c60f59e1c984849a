import type { WithReferences } from "./relations.ts";

/** The reference columns with their foreign keys: SQLite accepts these only when a column is created. */
export function foreignKeys({ columns, references = {} }: WithReferences): Record<string, string> {
  const keys = Object.entries(references).map(([field, to]) => [field, `${columns[field]} REFERENCES "${to}" (id)`]);
  return Object.fromEntries(keys);
}
