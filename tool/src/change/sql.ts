import { createExample } from "../../../backend/kit/openapi/example.ts";
import {
  describeType,
  sqliteTypes,
  sqlTypes,
  type TableColumn,
  toTableColumns,
} from "../../../backend/src/core/store/store.ts";
import { buildField } from "../new/builders.ts";
import type { Field } from "../new/field-types.ts";
import { describeFields } from "../new/print/openapi.ts";
import type { Request } from "../new/request.ts";

/** What a database needs for a change: an explanation, and SQL if the backend does not do it at startup. */
export interface Migration {
  text: string;
  sql: Partial<Record<Database, string[]>>;
  /** The SQL loses data that an older release may need, so it is only a comment. */
  isLeftToOwner?: boolean;
}

export type Database = "sqlite" | "postgres";

/** The migrations for a database in use. At startup, the backend adds new tables and optional columns itself. */
export function planMigrations(before: Request, after: Request): Migration[] {
  const tables = new Map(listTables(before));
  // A database that the project did not have is new.
  const databases = listDatabases(after).filter((database) => listDatabases(before).includes(database));
  return [
    ...listTables(after).flatMap(([table, fields]) => {
      const old = tables.get(table);
      return old ? planColumns(table, old, fields, databases) : [];
    }),
    ...dropTables(before, after, databases),
  ];
}

/** A removed service leaves its schema. */
export function dropSchema(name: string): string[] {
  return [
    `The schema "${name}" stays in PostgreSQL, with its data. To drop it, after the old code has stopped:`,
    `  DROP SCHEMA "${name}" CASCADE;`,
  ];
}

/** The text of the file for a database; undefined if it needs none. */
export function printMigrationFile(migrations: Migration[], database: Database): string | undefined {
  const needed = migrations.filter(({ sql }) => sql[database]);
  const parts = needed.map(({ text, sql, isLeftToOwner }) => {
    const lines = sql[database] ?? [];
    return [...wrap(text), ...(isLeftToOwner ? lines.map((line) => `-- ${line}`) : lines)]
      .map((line) => `${line}\n`)
      .join("");
  });
  return parts.length > 0 ? parts.join("\n") : undefined;
}

/** Lines of a comment. */
function wrap(text: string): string[] {
  return (text.match(/.{1,100}(?: |$)/g) ?? []).map((line) => `-- ${line.trimEnd()}`);
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
    if (is) return dropColumn(table, is, databases);
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
    text: `"${name}" of "${table}" is new and required. Rows that are already there get this value: change it if another one is right for them.${field.isUnique ? " Each needs its own: with several rows, update them here, above the last line." : ""}`,
    sql: forEach(databases, (database) => [
      printAddColumn(table, name, field, database),
      // Here, because a file that was applied cannot be changed any more.
      ...(field.isUnique ? [printUnique(table, name, database)] : []),
    ]),
  };
}

/** The column stays: an older release may still run, and data is not dropped without a decision. */
function dropColumn(table: string, field: Field, databases: Database[]): Migration[] {
  const { default: _, ...rest } = field;
  const optional = { ...rest, isOptional: true } as Field;
  const relax: Migration = {
    text: `The new code does not set "${field.name}" of "${table}", so it must not be required any more. Its values stay.`,
    sql: alterColumn(table, field, optional, databases),
  };
  return [...(toColumn("postgres", field).isRequired ? [relax] : []), leaveColumn(table, field, databases)];
}

function leaveColumn(table: string, field: Field, databases: Database[]): Migration {
  const drop = `ALTER TABLE "${table}" DROP COLUMN "${field.name}";`;
  return {
    text: `Nothing uses "${field.name}" of "${table}" any more. To drop it with its values, once no older release runs, use this here or in another migration:`,
    sql: forEach(databases, (database) => [...dropIndexes(table, field, database), drop]),
    isLeftToOwner: true,
  };
}

/** SQLite does not drop a column that has an index; a start makes those again that it needs. */
function dropIndexes(table: string, { name, isUnique, type }: Field, database: Database): string[] {
  const indexes = [
    ...(isUnique ? [`${table}_${name}`] : []),
    ...(type === "ref" ? [`${table}_${name}_reference`] : []),
  ];
  return database === "sqlite" ? indexes.map((index) => `DROP INDEX IF EXISTS "${index}";`) : [];
}

function changeColumn(table: string, is: Field, must: Field, databases: Database[]): Migration {
  return {
    text: `"${is.name}" of "${table}" is ${describeColumn(is)} and must be ${describeColumn(must)}. Check that this is right for all values.`,
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
      ...dropIndexes(table, is, "sqlite"),
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
  return forEach(databases, (database) => steps[database]);
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
  // SQLite accepts a foreign key only when a column is created.
  const key = field.type === "ref" && database === "sqlite" ? ` REFERENCES "${field.to}" (id)` : "";
  return `ALTER TABLE "${table}" ADD COLUMN "${name}" ${sqlType}${rest}${key};`;
}

/** As a start makes it. */
const printUnique = (table: string, name: string, database: Database) =>
  database === "sqlite"
    ? `CREATE UNIQUE INDEX "${table}_${name}" ON "${table}" ("${name}");`
    : `ALTER TABLE "${table}" ADD UNIQUE ("${name}");`;

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

function dropTables(before: Request, after: Request, databases: Database[]): Migration[] {
  const left = new Set(listTables(after).map(([table]) => table));
  const gone = listTables(before).flatMap(([table]) => (left.has(table) ? [] : [table]));
  const listItemRouteTables = (request: Request) =>
    request.features.includes("item-routes")
      ? listTables(request).flatMap(([table]) => [`${table}_keys`, `${table}_deleted`])
      : [];
  gone.push(...listItemRouteTables(before).filter((table) => !listItemRouteTables(after).includes(table)));
  if (before.features.includes("webhooks") && !after.features.includes("webhooks")) gone.push("webhook_events");
  return gone.map((table) => ({
    text: `Nothing uses the table "${table}" any more. To drop it with its data, once no older release runs, use this here or in another migration:`,
    sql: forEach(databases, () => [`DROP TABLE "${table}";`]),
    isLeftToOwner: true,
  }));
}

/** What is said about databases that the new code does not use. */
export function listLostDatabases(before: Request, after: Request): string[] {
  const lost = listDatabases(before).filter((database) => !listDatabases(after).includes(database));
  const titles = { sqlite: "an SQLite file", postgres: "PostgreSQL" };
  return lost.map((database) => `Data in ${titles[database]} is not copied, and the new code does not read it.`);
}
