import type { Pool } from "pg";
import { refuse } from "../environment.ts";

/** A name that is a valid identifier when it is quoted, even if it is a reserved word. */
export function schemaName(value: string): string {
  const rule = "must begin with a letter and have lower-case letters, digits, dashes or underscores, 63 at most";
  return /^[a-z][a-z0-9_-]{0,62}$/.test(value) ? value : refuse(rule);
}

/** The URL of a PostgreSQL database with one schema as the search path of its connections. SQLite has no schemas. */
export function inSchema({
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

/** Creates the schema of the connections, if it is missing. Replicas that start at the same time take turns. */
export async function makeSchema(pool: Pool): Promise<void> {
  // `IF NOT EXISTS` would need the right to create schemas even if an administrator has already created this one.
  await pool.query(`
    SELECT pg_advisory_xact_lock(hashtext('schema'));
    DO $$
      DECLARE path text := current_setting('search_path');
      BEGIN
        IF current_schema() IS NULL AND NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = trim('"' FROM path)) THEN
          EXECUTE 'CREATE SCHEMA ' || path;
        END IF;
      END
    $$`);
}
