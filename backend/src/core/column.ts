/** What a column holds. Each database has a type of its own for it. */
export type ColumnType = "text" | "number" | "integer" | "boolean" | "json" | "id";

/** A column of a table, the same for every database. */
export interface Column {
  type: ColumnType;
  isRequired: boolean;
  /** For rows that were stored before the column was added. */
  default?: unknown;
}

/** @deprecated A column as SQL, as in resources of version 0.1.0. */
export function readColumn(sql: string): Column {
  const [, type = "", required, text, value] =
    /^(.+?)( NOT NULL)?(?: DEFAULT (?:'(.*)'|(true|false|[-+.\de]+)|.*))?$/s.exec(sql) ?? [];
  const written = text === undefined ? value && JSON.parse(value) : text.replaceAll("''", "'");
  return { type: names[type] ?? (type as ColumnType), isRequired: required !== undefined, default: written };
}

const names: Record<string, ColumnType> = { "double precision": "number", bigint: "integer", uuid: "id" };
