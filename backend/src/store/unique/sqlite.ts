import type { WithUnique } from "./unique.ts";

/** An index for each unique field; SQLite cannot add a column that is unique by itself. */
export function uniqueIndexes({ name, unique = [] }: WithUnique): string {
  const indexes = unique.map(
    (field) => `CREATE UNIQUE INDEX IF NOT EXISTS "${name}_${field}" ON "${name}" ("${field}");`,
  );
  return indexes.join("\n");
}
