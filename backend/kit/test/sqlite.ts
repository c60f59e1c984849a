import { join } from "node:path";
import { temporaryFolder } from "./backend.ts";

/** The URL of a new, empty database. */
export async function newSqliteFile(): Promise<string> {
  return `file:${join(temporaryFolder(), "items.db")}`;
}
