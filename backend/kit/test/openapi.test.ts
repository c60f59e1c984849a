import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeApp } from "../openapi/app.ts";
import { differences, stale } from "../openapi/differences.ts";
import { updated } from "../openapi/document.ts";
import { readDocument } from "../openapi/write.ts";

const document = readDocument();

describe("openapi.json", async () => {
  const app = await describeApp();

  test("has the routes of the app, and no others", () => {
    expectNothing(differences(document, app.routes));
  });

  test("describes resources and routes as they are in the app", () => {
    expectNothing(stale(document, updated(document, app)));
  });
});

function expectNothing(found: string[]): void {
  const fix = "Run npm run openapi, and commit openapi.json.";
  assert.ok(found.length === 0, [...found, fix].join("\n"));
}
