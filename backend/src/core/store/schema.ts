import type { Client, ClientConfig } from "pg";
import { type Read, refuse } from "../environment.ts";
import { changeShortly, fail, type Migration } from "./migrations.ts";
import type { PostgresPlace } from "./postgres.ts";

/** Reads the schema that the tables are in. */
export function readSchemaSettings(read: Read) {
  const databaseSchema = read("DATABASE_SCHEMA", "public", schemaName);
  return { databaseSchema, databasePlace: databaseSchema === "public" ? undefined : placeInSchema(databaseSchema) };
}

/** A name that is a valid identifier when it is quoted, even if it is a reserved word. */
export function schemaName(value: string): string {
  const rule = "must begin with a letter and have lower-case letters, digits, dashes or underscores, 63 at most";
  return /^[a-z][a-z0-9_-]{0,62}$/.test(value) ? value : refuse(rule);
}

export function placeInSchema(schema: string): PostgresPlace {
  return {
    async plan(db) {
      // `IF NOT EXISTS` would need the right to create schemas even if an administrator has already created this one.
      const found = await db.query(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`);
      return found.rowCount === 0 ? [() => changeShortly(db, `CREATE SCHEMA "${schema}"`)] : [];
    },
    // Between quotes, `api"."items` is `"api"."items"`.
    locate: (name) => `${schema}"."${name}`,
    addOptions: (options) => addSearchPath(options, schema),
    dropOptions: dropSearchPath,
    begin: async (client) => void (await client.query(`SET LOCAL search_path = "${schema}"`)),
    checkAlone: (db, migration, statement) => refuseUnqualified(db, schema, migration, statement),
  };
}

function addSearchPath(options: ClientConfig, schema: string): void {
  const url = options.connectionString ?? "";
  const given = new URLSearchParams(url.split("?")[1]).get("options");
  const own = `${given === null ? "" : `${given} `}-c search_path="${schema}"`;
  options.connectionString = `${url}${url.includes("?") ? "&" : "?"}options=${encodeURIComponent(own)}`;
}

/** A pooler refuses a search path. */
function dropSearchPath(options: ClientConfig, error: Error): boolean {
  const url = options.connectionString ?? "";
  if (!/startup parameter/.test(error.message) || !url.includes("options=")) return false;
  options.connectionString = url.replace(/[?&]options=[^&]*-c%20search_path[^&]*$/, "");
  return options.connectionString !== url;
}

/** Behind a pooler there is no search path outside a transaction: a name alone would be that of somebody else's table. */
async function refuseUnqualified(db: Client, schema: string, migration: Migration, statement: string): Promise<void> {
  if (statement.includes(`${schema}.`) || statement.includes(`"${schema}".`)) return;
  const { rows } = await db.query<[string]>({ text: "SELECT current_schema()", rowMode: "array" });
  if (rows[0]?.[0] === schema) return;
  fail(migration, "", `behind a pooler, a statement outside a transaction names its schema: "${schema}".…`);
}
