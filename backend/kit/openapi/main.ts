import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../project.ts";
import { describeApp } from "./app.ts";
import { differences, stale } from "./differences.ts";
import { updated } from "./document.ts";
import { printJson } from "./json.ts";

const file = join(root, "openapi.json");
const before = JSON.parse(readFileSync(file, "utf8"));
const app = await describeApp();
const after = updated(before, app);
writeFileSync(file, printJson(after));

for (const one of differences(before, app.routes))
  console.log(one.endsWith("not in the app") ? `${one}: removed.` : `${one}: added.`);
for (const one of stale(before, after)) console.log(`${one}: updated.`);
