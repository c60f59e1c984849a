import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { frameworks, type RequestInput } from "../../src/new/request.ts";
import { project, run, writeOut } from "../support.ts";
import { lint } from "./lint.ts";

const allFields = [
  "name:string(1..200)",
  "code:string(0..5)",
  "price:number(min=0.5)?",
  "count:integer(min=0)",
  "order:integer?",
  "live:boolean",
  "due:timestamp",
  "kind:enum(a|b|c)",
  "tags:string[]",
];

const requests: RequestInput[] = [
  {},
  { database: "sqlite", features: ["auth"] },
  { database: "postgres", features: ["cors"] },
  { features: ["auth", "cors"], fields: allFields },
];

describe("openapi.json of a new project", () => {
  for (const [index, request] of requests.entries())
    test(`has nothing that a linter or the project's own script would change: request ${index + 1}`, async () => {
      const folder = writeOut(project({ framework: "hono", ...request }));
      await lint(folder);
      await changesNothing(folder);
    });

  for (const framework of frameworks)
    test(`is the one that npm run openapi makes in ${framework}`, async () => {
      await changesNothing(writeOut(project({ framework, features: ["auth", "cors"], fields: allFields })));
    });
});

async function changesNothing(folder: string): Promise<void> {
  const read = () => readFileSync(join(folder, "openapi.json"), "utf8");
  const before = read();
  assert.doesNotMatch(await run(folder, "npm", "run", "openapi"), /openapi\.json/);
  assert.equal(read(), before);
}
