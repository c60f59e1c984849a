import type { ColumnType } from "../column.ts";

/** The SQL types of columns. They are those of existing tables: another one would be refused there. */
export const sqlTypes: Record<ColumnType, string> = {
  text: "text",
  number: "double precision",
  integer: "bigint",
  boolean: "boolean",
  json: "json",
  id: "uuid",
};
