import { exampleOf } from "../../../backend/openapi/example.ts";
import type { Field } from "../new/field-types.ts";
import { schemaOf } from "../new/print/openapi.ts";
import { columnOf } from "../new/print/resource.ts";
import type { Request } from "../new/request.ts";
import { hasSchema } from "../new/settings.ts";

/** What a change asks of a database, in words, and as SQL where a start does not do it by itself. */
export interface Migration {
  text: string;
  sql: Partial<Record<Database, string[]>>;
}

type Database = "sqlite" | "postgres";

/** What a database that is in use needs for a change. A start adds new tables and optional columns by itself. */
export function migrationsFor(before: Request, after: Request): Migration[] {
  const tables = new Map(tablesOf(before));
  const migrations = [
    ...tablesOf(after).flatMap(([table, fields]) => {
      const old = tables.get(table);
      return old ? columnsOf(table, old, fields, databasesOf(after)) : [];
    }),
    ...goneTables(before, after),
    ...movedDatabase(before, after),
  ];
  return hasSchema(after) ? migrations.map((one) => inSchema(one, after.name)) : migrations;
}

/** The tables of a service are in its schema. */
function inSchema({ text, sql }: Migration, schema: string): Migration {
  const { postgres } = sql;
  return { text, sql: postgres ? { ...sql, postgres: [`SET search_path TO "${schema}";`, ...postgres] } : sql };
}

/** What is left of a service that is removed. */
export function goneSchema(name: string): Migration {
  return {
    text: `The schema "${name}" stays, with what is in it. To drop it, once the old code is gone:`,
    sql: { postgres: [`DROP SCHEMA "${name}" CASCADE;`] },
  };
}

/** Migrations as they are printed. */
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
function tablesOf({ fields, resources }: Request): [table: string, fields: Field[]][] {
  return [["items", fields], ...resources.map(({ name, fields }): [string, Field[]] => [name, fields])];
}

const databasesOf = ({ database }: Request): Database[] => (database === "both" ? ["sqlite", "postgres"] : [database]);

function columnsOf(table: string, before: Field[], after: Field[], databases: Database[]): Migration[] {
  const find = (fields: Field[], name: string) => fields.find((field) => field.name === name);
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  return names.flatMap((name) => {
    const [is, must] = [find(before, name), find(after, name)];
    if (is && must) return columnOf(is) === columnOf(must) ? [] : [changed(table, is, must, databases)];
    if (is) return [removed(table, is, databases)];
    return must && !must.isOptional ? [required(table, must, databases)] : [];
  });
}

function required(table: string, field: Field, databases: Database[]): Migration {
  const { name } = field;
  return {
    text: `"${name}" is new and required. Where there are rows in "${table}", run this before the new code starts, with the value that is right for them:`,
    sql: forEach(databases, (database) => [add(table, name, field, database)]),
  };
}

function removed(table: string, field: Field, databases: Database[]): Migration {
  const { name } = field;
  const drop = `ALTER TABLE "${table}" DROP COLUMN "${name}";`;
  if (field.isOptional)
    return {
      text: `The column "${name}" of "${table}" stays as it is, with its values. To drop these too, once the old code is gone:`,
      sql: forEach(databases, () => [drop]),
    };
  return {
    text: `The column "${name}" of "${table}" is required, and the new code does not fill it. Run this before it starts; the values are kept (to drop them too: ${drop}):`,
    sql: alter(table, field, { ...field, isOptional: true }, databases),
  };
}

function changed(table: string, is: Field, must: Field, databases: Database[]): Migration {
  return {
    text: `The column "${is.name}" of "${table}" is ${columnOf(is)} and has to be ${columnOf(must)}. Run this between the old code and the new, and look at the values before COMMIT:`,
    sql: alter(table, is, must, databases),
  };
}

/** Makes a column another. SQLite cannot: it gets a new one that takes the name. */
function alter(table: string, is: Field, must: Field, databases: Database[]): Migration["sql"] {
  const name = `"${must.name}"`;
  const on = `ALTER TABLE "${table}"`;
  const isAnother = sqlType(is, "postgres") !== sqlType(must, "postgres");
  const [becomesRequired, becomesOptional] = [is.isOptional && !must.isOptional, !is.isOptional && must.isOptional];
  const steps: Record<Database, string[]> = {
    sqlite: [
      add(table, `${must.name}_new`, must, "sqlite"),
      `UPDATE "${table}" SET "${must.name}_new" = ${isAnother ? cast(name, must, "sqlite") : name} WHERE ${name} IS NOT NULL;`,
      `${on} DROP COLUMN ${name};`,
      `${on} RENAME COLUMN "${must.name}_new" TO ${name};`,
    ],
    postgres: [
      ...(becomesOptional ? [`${on} ALTER COLUMN ${name} DROP NOT NULL;`] : []),
      ...(isAnother
        ? [`${on} ALTER COLUMN ${name} TYPE ${sqlType(must, "postgres")} USING ${cast(name, must, "postgres")};`]
        : []),
      ...(becomesRequired
        ? [
            `UPDATE "${table}" SET ${name} = ${literal(must, "postgres")} WHERE ${name} IS NULL;`,
            `${on} ALTER COLUMN ${name} SET NOT NULL;`,
          ]
        : []),
    ],
  };
  return forEach(databases, (database) => ["BEGIN;", ...steps[database], "COMMIT;"]);
}

/** A list gets what was there as its one element. */
function cast(name: string, to: Field, database: Database): string {
  const type = sqlType(to, database);
  if (database === "sqlite") return type === "json" ? `json_array(${name})` : `CAST(${name} AS ${type})`;
  return type === "json" ? `json_build_array(${name})` : `${name}::text::${type}`;
}

function add(table: string, name: string, field: Field, database: Database): string {
  const rest = field.isOptional ? "" : ` NOT NULL DEFAULT ${literal(field, database)}`;
  return `ALTER TABLE "${table}" ADD COLUMN "${name}" ${sqlType(field, database)}${rest};`;
}

function sqlType(field: Field, database: Database): string {
  const type = columnOf({ ...field, isOptional: true });
  return database === "sqlite" ? type.replace("double precision", "numeric") : type;
}

/** A value that the field accepts. */
function literal(field: Field, database: Database): string {
  const value = (exampleOf(schemaOf([field])) as Record<string, unknown>)[field.name];
  if (typeof value === "boolean") return database === "sqlite" ? String(Number(value)) : String(value);
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

function forEach(databases: Database[], sql: (database: Database) => string[]): Migration["sql"] {
  return Object.fromEntries(databases.map((database) => [database, sql(database)]));
}

function goneTables(before: Request, after: Request): Migration[] {
  const left = new Set(tablesOf(after).map(([table]) => table));
  const gone = tablesOf(before).flatMap(([table]) => (left.has(table) ? [] : [table]));
  const beside = (request: Request) =>
    request.features.includes("item-routes")
      ? tablesOf(request).flatMap(([table]) => [`${table}_keys`, `${table}_deleted`])
      : [];
  gone.push(...beside(before).filter((table) => !beside(after).includes(table)));
  if (before.features.includes("webhooks") && !after.features.includes("webhooks")) gone.push("webhook_events");
  return gone.map((table) => ({
    text: `The table "${table}" stays, with what is in it. To drop it, once the old code is gone:`,
    sql: forEach(databasesOf(after), () => [`DROP TABLE "${table}";`]),
  }));
}

function movedDatabase(before: Request, after: Request): Migration[] {
  const lost = databasesOf(before).filter((database) => !databasesOf(after).includes(database));
  const titles = { sqlite: "an SQLite file", postgres: "PostgreSQL" };
  return lost.map((database) => ({
    text: `Data in ${titles[database]} stays there and is not copied: the new code does not read it.`,
    sql: {},
  }));
}
