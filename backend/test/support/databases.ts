import { join } from "node:path";
import { after } from "node:test";
import { temporaryFolder } from "./backend.ts";
import { Postgres } from "./postgres.ts";

/** Makes new, empty databases of both kinds. The server that it starts ends with the tests of the file. */
export async function bothDatabases() {
  const postgres = await Postgres.start();
  after(() => postgres.stop());
  return [
    { kind: "SQLite", newDatabase: newSqliteFile },
    { kind: "PostgreSQL", newDatabase: () => postgres.database() },
  ] as const;
}

export async function newSqliteFile(): Promise<string> {
  return `file:${join(temporaryFolder(), "items.db")}`;
}
