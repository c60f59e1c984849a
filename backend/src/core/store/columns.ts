import type { Column, ColumnType } from "../fields/field.ts";

type SqlTypes = Record<ColumnType, string>;

/** These are the types of existing tables: another one would be refused there. */
export const sqlTypes: SqlTypes = {
  text: "text",
  number: "double precision",
  integer: "bigint",
  boolean: "boolean",
  json: "json",
  id: "uuid",
};

/** A column of the other type would return 5 as 5.0. */
export const sqliteTypes: SqlTypes = { ...sqlTypes, number: "numeric" };

/** A column in the words of one database. */
export interface TableColumn extends Column {
  name: string;
  sqlType: string;
}

/** The columns of a resource, with the types of a database. */
export function toTableColumns(columns: Record<string, Column | string>, types: SqlTypes): TableColumn[] {
  return Object.entries(columns).map(([name, given]) => {
    const column = typeof given === "string" ? readColumn(given) : given;
    return { ...column, name, sqlType: types[column.type] ?? column.type };
  });
}

/** @deprecated A column as SQL, as in resources of version 0.1.0. */
export function readColumn(sql: string): Column {
  const [, sqlType = "", required, text, value] =
    /^(.+?)( NOT NULL)?(?: DEFAULT (?:'(.*)'|(true|false|[-+.\de]+)|.*))?$/s.exec(sql) ?? [];
  const [type = sqlType] = Object.entries(sqlTypes).find(([, own]) => own === sqlType) ?? [];
  const written = text === undefined ? value && JSON.parse(value) : text.replaceAll("''", "'");
  return { type: type as ColumnType, isRequired: required !== undefined, default: written };
}

/** The definition of a column in SQL. */
export function defineColumn(column: TableColumn): string {
  const value = column.default === undefined ? "" : ` DEFAULT ${toLiteral(column.default)}`;
  return `"${column.name}" ${describeType(column)}${value}`;
}

/** The type of a column in SQL, and whether it is required. */
export function describeType({ sqlType, isRequired }: Pick<TableColumn, "sqlType" | "isRequired">): string {
  return isRequired ? `${sqlType} NOT NULL` : sqlType;
}

function toLiteral(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

/** The columns to add to an existing table. A change that a person has to decide on is refused. */
export function findNewColumns(
  table: string,
  wanted: TableColumn[],
  rows: [name: string, sqlType: string, isRequired: unknown][],
  hasItems: boolean,
): TableColumn[] {
  for (const [name, sqlType, isRequired] of rows) {
    const found = { sqlType, isRequired: Boolean(isRequired) };
    const column = wanted.find((one) => one.name === name);
    const isRight = column ? describeType(column) === describeType(found) : !found.isRequired;
    if (!isRight) throw differs(table, name, describeType(found), column ? describeType(column) : "none");
  }
  const lacking = wanted.filter(({ name }) => !rows.some(([found]) => found === name));
  const unknown = lacking.find((column) => hasItems && column.isRequired && column.default === undefined);
  if (unknown) throw differs(table, unknown.name, "missing", describeType(unknown));
  return lacking;
}

function differs(table: string, name: string, found: string, wanted: string): Error {
  return new Error(`column "${name}" of "${table}" is ${found}, but the code says ${wanted}; change one of them`);
}
