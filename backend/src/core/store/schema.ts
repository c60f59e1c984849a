import type { Client, ClientConfig } from "pg";
import { refuse } from "../environment.ts";
import { type Change, changeShortly, type Plan } from "./migrations.ts";

/** A name that is a valid identifier when it is quoted, even if it is a reserved word. */
export function schemaName(value: string): string {
  const rule = "must begin with a letter and have lower-case letters, digits, dashes or underscores, 63 at most";
  return /^[a-z][a-z0-9_-]{0,62}$/.test(value) ? value : refuse(rule);
}

interface WithSchema {
  databaseUrl: string;
  databaseSchema?: string;
}

/** The schema, if names of tables need one. */
export const findSchema = ({ databaseSchema }: WithSchema) =>
  databaseSchema === "public" ? undefined : databaseSchema;

/** Names a table, and those that it refers to, with their schema: between quotes, `api"."items` is `"api"."items"`. */
export function addSchema(
  resource: { name: string; references?: Record<string, string | undefined> | undefined },
  { databaseSchema: schema = "public" }: WithSchema,
): void {
  if (schema === "public") return;
  const { references = {} } = resource;
  resource.name = `${schema}"."${resource.name}`;
  const qualified = Object.entries(references).map(([field, to]) => [field, `${schema}"."${to}`]);
  if (qualified.length > 0) resource.references = Object.fromEntries(qualified);
}

/** Within a transaction, SQL of the owner finds tables of the schema by their names alone. */
export async function enterSchema(
  client: Pick<Client, "query">,
  { databaseSchema: schema = "public" }: WithSchema,
): Promise<void> {
  if (schema !== "public") await client.query(`SET LOCAL search_path = "${schema}"`);
}

/** SQL of the owner outside of the store's transactions finds them too, on a server that accepts it. */
export function addSearchPath(options: ClientConfig, { databaseUrl, databaseSchema: schema = "public" }: WithSchema) {
  if (schema === "public") return;
  const given = new URLSearchParams(databaseUrl.split("?")[1]).get("options");
  const url = options.connectionString ?? "";
  const own = `${given === null ? "" : `${given} `}-c search_path="${schema}"`;
  options.connectionString = `${url}${url.includes("?") ? "&" : "?"}options=${encodeURIComponent(own)}`;
}

/** A pooler refuses a search path. Returns whether the options were changed. */
export function dropSearchPath(options: ClientConfig, error: Error): boolean {
  const url = options.connectionString ?? "";
  if (!/startup parameter/.test(error.message) || !url.includes("options=")) return false;
  options.connectionString = url.replace(/[?&]options=[^&]*-c%20search_path[^&]*$/, "");
  return options.connectionString !== url;
}

/** Creates the schema, if it is missing. */
export function planSchema({ databaseSchema: schema = "public" }: WithSchema): Plan {
  return async (db: Client): Promise<Change[]> => {
    // `IF NOT EXISTS` would need the right to create schemas even if an administrator has already created this one.
    const found = await db.query(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`);
    return found.rowCount === 0 ? [() => changeShortly(db, `CREATE SCHEMA "${schema}"`)] : [];
  };
}
