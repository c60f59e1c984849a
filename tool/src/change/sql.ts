import { exampleOf } from "../../../backend/kit/openapi/example.ts";
import type { Field } from "../new/field-types.ts";
import { schemaOf } from "../new/print/openapi.ts";
import { columnOf } from "../new/print/resource.ts";
import type { Request } from "../new/request.ts";
import { hasSchema } from "../new/settings.ts";

/** What a database needs for a change: an explanation, and SQL if the backend does not do it at startup. */
export interface Migration {
  text: string;
  sql: Partial<Record<Database, string[]>>;
}

type Database = "sqlite" | "postgres";

/** The migrations for a database in use. At startup, the backend adds new tables and optional columns itself. */
export function migrationsFor(before: Request, after: Request): Migration[] {
  const tables = new Map(tablesOf(before));
  const migrations = [
    ...tablesOf(after).flatMap(([table, fields]) => {
      const old = tables.get(table);
      return old ? columnsOf(table, old, fields, databasesOf(after)) : [];
    }),
    ...removedTables(before, after),
    ...movedDatabase(before, after),
  ];
  return hasSchema(after) ? migrations.map((one) => inSchema(one, after.name)) : migrations;
}

/** The tables of a service are in its schema. */
function inSchema({ text, sql }: Migration, schema: string): Migration {
  const { postgres } = sql;
  return { text, sql: postgres ? { ...sql, postgres: [`SET search_path TO "${schema}";`, ...postgres] } : sql };
}

/** A removed service leaves its schema. */
export function removedSchema(name: string): Migration {
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
    text: `"${name}" is new and required. If "${table}" has rows, run this before the new code starts, with the right value for them:`,
    sql: forEach(databases, (database) => [add(table, name, field, database)]),
  };
}

function removed(table: string, field: Field, databases: Database[]): Migration {
  const { name } = field;
  const drop = `ALTER TABLE "${table}" DROP COLUMN "${name}";`;
  if (field.isOptional)
    return {
      text: `The column "${name}" of "${table}" stays, with its values. To drop it, after the old code has stopped:`,
      sql: forEach(databases, () => [drop]),
    };
  return {
    text: `The column "${name}" of "${table}" is required, but the new code does not set it. Run this before the new code starts; the values are kept (to drop them too: ${drop}):`,
    sql: alter(table, field, { ...field, isOptional: true }, databases),
  };
}

function changed(table: string, is: Field, must: Field, databases: Database[]): Migration {
  return {
    text: `The column "${is.name}" of "${table}" is ${columnOf(is)} and must be ${columnOf(must)}. Run this after the old code stops and before the new code starts, and check the values before COMMIT:`,
    sql: alter(table, is, must, databases),
  };
}

/** Changes a column. SQLite cannot, so it gets a new column, which is then renamed. */
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

/** For a list, the old value becomes its only element. */
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

function removedTables(before: Request, after: Request): Migration[] {
  const left = new Set(tablesOf(after).map(([table]) => table));
  const gone = tablesOf(before).flatMap(([table]) => (left.has(table) ? [] : [table]));
  const ofItemRoutes = (request: Request) =>
    request.features.includes("item-routes")
      ? tablesOf(request).flatMap(([table]) => [`${table}_keys`, `${table}_deleted`])
      : [];
  gone.push(...ofItemRoutes(before).filter((table) => !ofItemRoutes(after).includes(table)));
  if (before.features.includes("webhooks") && !after.features.includes("webhooks")) gone.push("webhook_events");
  return gone.map((table) => ({
    text: `The table "${table}" stays, with its data. To drop it, after the old code has stopped:`,
    sql: forEach(databasesOf(after), () => [`DROP TABLE "${table}";`]),
  }));
}

function movedDatabase(before: Request, after: Request): Migration[] {
  const lost = databasesOf(before).filter((database) => !databasesOf(after).includes(database));
  const titles = { sqlite: "an SQLite file", postgres: "PostgreSQL" };
  return lost.map((database) => ({
    text: `Data in ${titles[database]} is not copied, and the new code does not read it.`,
    sql: {},
  }));
}
