import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../project.ts";
import { describeApp } from "./app.ts";
import { differences, stale } from "./differences.ts";
import { type Document, updated } from "./document.ts";
import { printJson } from "./json.ts";

const file = join(root, "openapi.json");

export function readDocument(): Document {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Brings `openapi.json` up to date, prints what changed, and ends the process: timers of the app may keep running. */
export async function writeDocument(): Promise<never> {
  const before = readDocument();
  const app = await describeApp();
  const after = updated(before, app);
  writeFileSync(file, printJson(after));
  for (const one of differences(before, app.routes))
    console.log(one.endsWith("not in the app") ? `${one}: removed.` : `${one}: added.`);
  for (const one of stale(before, after)) console.log(`${one}: updated.`);
  // Where stdout is a pipe, it may not be written yet.
  await new Promise((resolve) => process.stdout.write("", resolve));
  process.exit();
}
