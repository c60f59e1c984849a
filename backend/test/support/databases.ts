import { after } from "node:test";
import { Postgres } from "./postgres.ts";
import { newSqliteFile } from "./sqlite.ts";

/** How to get a new, empty database of each kind. A server that it starts ends with the tests of the file. */
export async function everyDatabase(): Promise<Map<string, () => Promise<string>>> {
  const databases = new Map<string, () => Promise<string>>();
  databases.set("SQLite", newSqliteFile);
  const postgres = await Postgres.start();
  after(() => postgres.stop());
  databases.set("PostgreSQL", () => postgres.database());
  return databases;
}
