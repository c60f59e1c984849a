import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { frameworks } from "../../../backend/test/support/matrix.ts";
import type { RequestInput } from "../../src/new/request.ts";
import { buildWithoutPackages, project, run, writeOut } from "../support.ts";
import { describe as describeProject } from "./describe.ts";
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
  "day:date",
  "key:uuid",
  "contact:email",
  "website:url?",
  "more:json",
  "sizes:integer[]",
  "sites:url[]?",
  "size:integer=5",
  'note:string="it\'s"',
  "list:string[]=[]",
  "rest:json={}",
];

const resources = [
  "orders: sku:string(1..50) unique",
  "order-lines: note:string?, orderId:ref(orders), itemId:ref(items)?",
];
const all: RequestInput = { features: ["auth", "cors", "item-routes"], fields: allFields, resources };

const requests: RequestInput[] = [
  {},
  { database: "sqlite", features: ["auth"] },
  { database: "postgres", features: ["cors", "item-routes"] },
  // The app creates the other resource first.
  { fields: ["at:timestamp?", "newsId:ref(news)"], resources: ["news: code:string(2..2) unique"] },
  all,
];

describe("openapi.json of a new project", () => {
  const folders = requests.map((request) => writeOut(project({ framework: "hono", ...request })));

  test("has nothing that a linter would change", () => lint(folders));

  for (const [index, folder] of folders.entries())
    test(`equals the one that its own script makes: request ${index + 1}`, () => isUpToDate(folder));

  for (const framework of frameworks)
    test(`equals the one that its own script makes in ${framework}`, async () => {
      const folder = writeOut(project({ framework, ...all }));
      // Node cannot load decorators from the sources.
      if (framework === "nest") await buildWithoutPackages(folder);
      await isUpToDate(folder);
    });

  test("is made again by npm run openapi, and compared with the app by npm test", async () => {
    const folder = writeOut(project({ framework: "nest", ...all }));
    const file = join(folder, "openapi.json");
    const before = readFileSync(file, "utf8");
    const { "/items": _, ...paths } = JSON.parse(before).paths;
    const without = JSON.stringify({ ...JSON.parse(before), paths });
    writeFileSync(file, without);
    assert.match(
      await run(folder, "npm", "run", "openapi"),
      /GET \/items is in the app, but not in openapi\.json: added/,
    );
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), JSON.parse(before));
    writeFileSync(file, without);
    const compared = run(folder, "npm", "test", "--", "--test-name-pattern=has the routes", "test/contract.test.ts");
    await assert.rejects(compared, /GET \/items is in the app, but not in openapi\.json/);
  });
});

async function isUpToDate(folder: string): Promise<void> {
  const { faults, text } = await describeProject(folder);
  assert.deepEqual(faults, []);
  assert.equal(text, readFileSync(join(folder, "openapi.json"), "utf8"));
}
