import { readFileSync } from "node:fs";
import { join } from "node:path";
import { differences, stale } from "../../../backend/kit/openapi/differences.ts";
import { updated } from "../../../backend/kit/openapi/document.ts";
import { printJson } from "../../../backend/kit/openapi/json.ts";
import { loadKit } from "../support.ts";

/** The faults that a project's test finds in its openapi.json, and what `npm run openapi` writes, in this process. */
export async function describe(folder: string): Promise<{ faults: string[]; text: string }> {
  // Each project's own log listens to it.
  process.stdout.setMaxListeners(process.stdout.getMaxListeners() + 1);
  const { describeApp } = await loadKit(folder);
  const document = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  const app = await describeApp();
  const made = updated(document, app);
  return { faults: [...differences(document, app.routes), ...stale(document, made)], text: printJson(made) };
}
