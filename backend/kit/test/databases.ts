import { has } from "../project.ts";
import { newPostgresDatabases } from "./postgres.ts";
import { newSqliteFile } from "./sqlite.ts";

/** How to get a new, empty database of each kind that the project supports. */
export async function everyDatabase(): Promise<Map<string, () => Promise<string>>> {
  const databases = new Map<string, () => Promise<string>>();
  if (has("src/core/store/sqlite.ts")) databases.set("SQLite", newSqliteFile);
  if (has("src/core/store/postgres.ts")) databases.set("PostgreSQL", await newPostgresDatabases());
  return databases;
}
