import { readFileSync, writeFileSync } from "node:fs";
import { describeApp } from "./app.ts";
import { differences } from "./differences.ts";
import { updated } from "./document.ts";
import { printJson } from "./json.ts";

const file = new URL("../openapi.json", import.meta.url);
const before = JSON.parse(readFileSync(file, "utf8"));
const app = await describeApp();
const after = updated(before, app);
writeFileSync(file, printJson(after));

const left = differences(after, app.routes);
for (const one of differences(before, app.routes))
  console.log(left.includes(one) ? `${one}: remove it there, or add the route.` : `${one}: added; describe it there.`);
