import type { Client } from "pg";
import { type Change, changeShortly } from "./changes.ts";

/** A name that is a valid identifier when it is quoted, even if it is a reserved word. */
export function schemaName(value: string): string {
  if (/^[a-z][a-z0-9_-]{0,62}$/.test(value)) return value;
  throw new Error("must begin with a letter and have lower-case letters, digits, dashes or underscores, 63 at most");
}

/** The URL of a PostgreSQL database with one schema as the search path of its connections. SQLite has no schemas. */
export function addSchema({
  databaseUrl: url,
  databaseSchema,
}: {
  databaseUrl: string;
  databaseSchema: string;
}): string {
  if (!url.startsWith("postgres")) return url;
  const options = new URLSearchParams(url.split("?")[1]).get("options");
  const given = options === null ? "" : `${encodeURIComponent(options)}%20`;
  return `${url}${url.includes("?") ? "&" : "?"}options=${given}-c%20search_path=%22${databaseSchema}%22`;
}

/** Creates the schema of the connections, if it is missing. */
export async function planSchema(db: Client): Promise<Change[]> {
  // `IF NOT EXISTS` would need the right to create schemas even if an administrator has already created this one.
  const text = `
    SELECT path FROM current_setting('search_path') path
    WHERE current_schema() IS NULL AND NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = trim('"' FROM path))`;
  const { rows } = await db.query<[string]>({ text, rowMode: "array" });
  return rows.map(
    ([path]) =>
      () =>
        changeShortly(db, `CREATE SCHEMA ${path}`),
  );
}
