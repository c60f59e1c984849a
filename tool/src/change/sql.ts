import { createExample } from "../../../backend/kit/openapi/example.ts";
import {
  describeType,
  sqliteTypes,
  sqlTypes,
  type TableColumn,
  toTableColumns,
} from "../../../backend/src/core/store/columns.ts";
import { buildField } from "../new/builders.ts";
import type { Field } from "../new/field-types.ts";
import { describeFields } from "../new/print/openapi.ts";
import type { Request } from "../new/request.ts";
import { hasSchema } from "../new/settings.ts";

/** What a database needs for a change: an explanation, and SQL if the backend does not do it at startup. */
export interface Migration {
  text: string;
  sql: Partial<Record<Database, string[]>>;
}

type Database = "sqlite" | "postgres";

/** The migrations for a database in use. At startup, the backend adds new tables and optional columns itself. */
export function planMigrations(before: Request, after: Request): Migration[] {
  const tables = new Map(listTables(before));
  const migrations = [
    ...listTables(after).flatMap(([table, fields]) => {
      const old = tables.get(table);
      return old ? planColumns(table, old, fields, listDatabases(after)) : [];
    }),
    ...dropTables(before, after),
    ...noteLostDatabases(before, after),
  ];
  return hasSchema(after) ? migrations.map((one) => setSchema(one, after.name)) : migrations;
}

/** The tables of a service are in its schema. */
function setSchema({ text, sql }: Migration, schema: string): Migration {
  const { postgres } = sql;
  return { text, sql: postgres ? { ...sql, postgres: [`SET search_path TO "${schema}";`, ...postgres] } : sql };
}

/** A removed service leaves its schema. */
export function dropSchema(name: string): Migration {
  return {
    text: `The schema "${name}" stays, with its data. To drop it, after the old code has stopped:`,
    sql: { postgres: [`DROP SCHEMA "${name}" CASCADE;`] },
  };
}

export function printMigrations(migrations: Migration[]): string[] {
  const titles = { sqlite: "SQLite", postgres: "PostgreSQL" };
  return migrations.flatMap(({ text, sql }) => [
    text,
    ...Object.entries(sql).flatMap(([name, lines]) => [
      `  ${titles[name as Database]}:`,
      ...lines.map((line) => `    ${line}`),
    ]),
  ]);
}

/** The tables of a project and their fields. */
function listTables({ fields, resources }: Request): [table: string, fields: Field[]][] {
  return [["items", fields], ...resources.map(({ name, fields }): [string, Field[]] => [name, fields])];
}

const listDatabases = ({ database }: Request): Database[] =>
  database === "both" ? ["sqlite", "postgres"] : [database];

function planColumns(table: string, before: Field[], after: Field[], databases: Database[]): Migration[] {
  const find = (fields: Field[], name: string) => fields.find((field) => field.name === name);
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  return names.flatMap((name) => {
    const [is, must] = [find(before, name), find(after, name)];
    if (is && must) return isSameColumn(is, must) ? [] : [changeColumn(table, is, must, databases)];
    if (is) return [dropColumn(table, is, databases)];
    return must && isRequiredOfAll(must) ? [addRequiredColumn(table, must, databases)] : [];
  });
}

const types = { sqlite: sqliteTypes, postgres: sqlTypes };

/** The column of a field in a database. */
function toColumn(database: Database, field: Field): TableColumn {
  const [column] = toTableColumns({ [field.name]: buildField(field).column }, types[database]);
  return column as TableColumn;
}

const isSameColumn = (is: Field, must: Field) => describeColumn(is) === describeColumn(must);
const describeColumn = (field: Field) => describeType(toColumn("postgres", field));

/** Whether rows that are already there need a value. */
function isRequiredOfAll(field: Field): boolean {
  const { column } = buildField(field);
  return column.isRequired && column.default === undefined;
}

function addRequiredColumn(table: string, field: Field, databases: Database[]): Migration {
  const { name } = field;
  return {
    text: `"${name}" is new and required. If "${table}" has rows, run this before the new code starts, with the right value for them:`,
    sql: forEach(databases, (database) => [printAddColumn(table, name, field, database)]),
  };
}

function dropColumn(table: string, field: Field, databases: Database[]): Migration {
  const { name } = field;
  const drop = `ALTER TABLE "${table}" DROP COLUMN "${name}";`;
  if (field.isOptional)
    return {
      text: `The column "${name}" of "${table}" stays, with its values. To drop it, after the old code has stopped:`,
      sql: forEach(databases, () => [drop]),
    };
  const { default: _, ...rest } = field;
  return {
    text: `The column "${name}" of "${table}" is required, but the new code does not set it. Run this before the new code starts; the values are kept (to drop them too: ${drop}):`,
    sql: alterColumn(table, field, { ...rest, isOptional: true } as Field, databases),
  };
}

function changeColumn(table: string, is: Field, must: Field, databases: Database[]): Migration {
  return {
    text: `The column "${is.name}" of "${table}" is ${describeColumn(is)} and must be ${describeColumn(must)}. Run this after the old code stops and before the new code starts, and check the values before COMMIT:`,
    sql: alterColumn(table, is, must, databases),
  };
}

/** Changes a column. SQLite cannot, so it gets a new column, which is then renamed. */
function alterColumn(table: string, is: Field, must: Field, databases: Database[]): Migration["sql"] {
  const name = `"${must.name}"`;
  const on = `ALTER TABLE "${table}"`;
  const [found, wanted] = [toColumn("postgres", is), toColumn("postgres", must)];
  const isAnother = found.sqlType !== wanted.sqlType;
  const becomesRequired = !found.isRequired && wanted.isRequired;
  const becomesOptional = found.isRequired && !wanted.isRequired;
  const steps: Record<Database, string[]> = {
    sqlite: [
      printAddColumn(table, `${must.name}_new`, must, "sqlite"),
      `UPDATE "${table}" SET "${must.name}_new" = ${isAnother ? printCast(name, must, "sqlite") : name} WHERE ${name} IS NOT NULL;`,
      `${on} DROP COLUMN ${name};`,
      `${on} RENAME COLUMN "${must.name}_new" TO ${name};`,
    ],
    postgres: [
      ...(becomesOptional ? [`${on} ALTER COLUMN ${name} DROP NOT NULL;`] : []),
      ...(isAnother
        ? [`${on} ALTER COLUMN ${name} TYPE ${wanted.sqlType} USING ${printCast(name, must, "postgres")};`]
        : []),
      ...(becomesRequired
        ? [
            `UPDATE "${table}" SET ${name} = ${printLiteral(must, "postgres")} WHERE ${name} IS NULL;`,
            `${on} ALTER COLUMN ${name} SET NOT NULL;`,
          ]
        : []),
    ],
  };
  return forEach(databases, (database) => ["BEGIN;", ...steps[database], "COMMIT;"]);
}

/** For a list, the old value becomes its only element. */
function printCast(name: string, to: Field, database: Database): string {
  const { type, sqlType } = toColumn(database, to);
  if (database === "sqlite") return type === "json" ? `json_array(${name})` : `CAST(${name} AS ${sqlType})`;
  return type === "json" ? `json_build_array(${name})` : `${name}::text::${sqlType}`;
}

function printAddColumn(table: string, name: string, field: Field, database: Database): string {
  const { sqlType, isRequired } = toColumn(database, field);
  const rest = isRequired ? ` NOT NULL DEFAULT ${printLiteral(field, database)}` : "";
  return `ALTER TABLE "${table}" ADD COLUMN "${name}" ${sqlType}${rest};`;
}

/** Its default, or a value that the field accepts. */
function printLiteral(field: Field, database: Database): string {
  const value = field.default ?? (createExample(describeFields([field])) as Record<string, unknown>)[field.name];
  if (typeof value === "boolean") return database === "sqlite" ? String(Number(value)) : String(value);
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

function forEach(databases: Database[], sql: (database: Database) => string[]): Migration["sql"] {
  return Object.fromEntries(databases.map((database) => [database, sql(database)]));
}

function dropTables(before: Request, after: Request): Migration[] {
  const left = new Set(listTables(after).map(([table]) => table));
  const gone = listTables(before).flatMap(([table]) => (left.has(table) ? [] : [table]));
  const listItemRouteTables = (request: Request) =>
    request.features.includes("item-routes")
      ? listTables(request).flatMap(([table]) => [`${table}_keys`, `${table}_deleted`])
      : [];
  gone.push(...listItemRouteTables(before).filter((table) => !listItemRouteTables(after).includes(table)));
  if (before.features.includes("webhooks") && !after.features.includes("webhooks")) gone.push("webhook_events");
  return gone.map((table) => ({
    text: `The table "${table}" stays, with its data. To drop it, after the old code has stopped:`,
    sql: forEach(listDatabases(after), () => [`DROP TABLE "${table}";`]),
  }));
}

function noteLostDatabases(before: Request, after: Request): Migration[] {
  const lost = listDatabases(before).filter((database) => !listDatabases(after).includes(database));
  const titles = { sqlite: "an SQLite file", postgres: "PostgreSQL" };
  return lost.map((database) => ({
    text: `Data in ${titles[database]} is not copied, and the new code does not read it.`,
    sql: {},
  }));
}
