import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { corsOrigins } from "../../backend/kit/suite/cors/origins.ts";
import type { OpenApi } from "../../backend/kit/suite/document.ts";
import { defaults } from "../../backend/kit/suite/suite.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { oneOfEachKind } from "../../backend/test/support/matrix.ts";
import { listChecks, runChecks } from "../src/checks.ts";
import { describe as describeProject } from "./openapi/describe.ts";
import type { Extension } from "./owner/extension.ts";
import { fallbacks } from "./owner/fallbacks.ts";
import { extend } from "./owner/project.ts";
import { buildWithoutPackages, project, start, writeOut } from "./support.ts";

describe("npm test of a project finds no fault", () => {
  for (const framework of oneOfEachKind) {
    const { answers, catchAll } = fallbacks[framework] ?? assert.fail(framework);

    test(`in an own 404, in methods that OpenAPI does not have, and in an own OPTIONS, in ${framework}`, async () => {
      const { document, faults, skipped } = await check(framework, answers);
      assert.deepEqual(faults, []);
      const [other] = framework === "nest" ? ["SEARCH"] : ["PURGE"];
      assert.partialDeepStrictEqual(document.paths["/cache"], { "x-other-methods": [other] });
      assert.partialDeepStrictEqual(document.paths["/own"], { "x-other-methods": ["OPTIONS"] });
      // Where a not-found handler reads bodies, as on plain Node, one is asked for.
      assert.ok(skipped.length === 0 || framework === "fastify", skipped.join("\n"));
    });

    test(`in a route that catches all, in ${framework}`, async () => {
      const { document, faults, skipped } = await check(framework, catchAll);
      assert.deepEqual(faults, []);
      for (const item of Object.values(document.paths)) assert.partialDeepStrictEqual(item, { "x-any-method": true });
      for (const why of skipped) assert.match(why, /a catch-all route answers .*\/nowhere\/ with/);
    });
  }

  test("but in a path of a resource that has another spelling", {
    skip: !oneOfEachKind.includes("fastify"),
  }, async () => {
    const edits: Extension["edits"] = {
      "src/items/routes.ts": [
        ['app.get("",', 'app.get("/",'],
        ['app.post("",', 'app.post("/",'],
      ],
    };
    const { faults, skipped } = await check("fastify", edits);
    assert.deepEqual(skipped, []);
    assert.equal(faults.length, 2);
    for (const fault of faults) assert.match(fault, /GET \/items\/ answers with a page/);
  });
});

/** What the checks find in a project that its owner has changed, after `npm run openapi`. */
async function check(framework: string, edits: Extension["edits"]) {
  const folder = writeOut(project({ framework, database: "sqlite", features: ["cors", "item-routes"] }));
  extend(folder, { files: {}, edits });
  await buildWithoutPackages(folder);
  const { text } = await describeProject(folder);
  writeFileSync(join(folder, "openapi.json"), text);
  assert.deepEqual(await describeProject(folder), { faults: [], text });
  const document: OpenApi = JSON.parse(text);
  using backend = await start(folder, { DATABASE_URL: await newSqliteFile(), ...corsOrigins });
  const checks = listChecks(document, ["cors", "item-routes"]).filter(({ isSlow }) => !isSlow);
  const findings = await Promise.all(runChecks(checks, { ...defaults, url: backend.url }));
  return {
    document,
    faults: findings.flatMap(({ check, fault }) => (fault === undefined ? [] : [`${check}: ${fault}`])),
    skipped: findings.flatMap(({ skipped }) => skipped ?? []),
  };
}
