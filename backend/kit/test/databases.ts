import { newPostgresDatabases } from "./postgres.ts";
import { newSqliteFile } from "./sqlite.ts";

/** How to get a new, empty database of each kind. */
export async function everyDatabase(): Promise<Map<string, () => Promise<string>>> {
  const databases = new Map<string, () => Promise<string>>();
  databases.set("SQLite", newSqliteFile);
  databases.set("PostgreSQL", await newPostgresDatabases());
  return databases;
}
