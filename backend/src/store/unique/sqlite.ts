import type { WithUnique } from "./unique.ts";

/** An index for each unique field; SQLite cannot add a unique column to a table. */
export function uniqueIndexes({ name, unique = [] }: WithUnique): string {
  const indexes = unique.map(
    (field) => `CREATE UNIQUE INDEX IF NOT EXISTS "${name}_${field}" ON "${name}" ("${field}");`,
  );
  return indexes.join("\n");
}
