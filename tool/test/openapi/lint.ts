import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../support.ts";

/** Checks the documents of projects with the recommended rules of a linter. */
export async function lint(folders: string[]): Promise<void> {
  const offline = ["REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true"];
  const documents = folders.map((folder) => join(folder, "openapi.json"));
  const found = await run(folders[0] ?? "", "env", ...offline, "redocly", "lint", "--format=json", ...documents);
  assert.equal(found.match(/^ {2}"problems": \[\]$/gm)?.length, folders.length, found);
}
