import assert from "node:assert/strict";
import { run } from "../support.ts";

/** Holds a project's document against the recommended rules of a linter: there is nothing to say about it. */
export async function lint(folder: string): Promise<void> {
  const offline = ["REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true"];
  const found = await run(folder, "env", ...offline, "redocly", "lint", "--format=json", "openapi.json");
  const { problems } = JSON.parse(found.slice(found.indexOf("{"), found.lastIndexOf("}") + 1));
  assert.deepEqual(problems, []);
}
