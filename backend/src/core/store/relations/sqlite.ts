import type { WithReferences } from "./relations.ts";

/** Adds foreign keys to the reference columns: SQLite accepts these only when a column is created. */
export function addForeignKeys(definitions: Map<string, string>, { references = {} }: WithReferences): void {
  for (const [field, to] of Object.entries(references))
    definitions.set(field, `${definitions.get(field)} REFERENCES "${to}" (id)`);
}
