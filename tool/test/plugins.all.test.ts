import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { corsChecks } from "../../backend/kit/suite/cors/checks.ts";
import { corsOrigins } from "../../backend/kit/suite/cors/origins.ts";
import { creatingChecks } from "../../backend/kit/suite/creating.ts";
import type { OpenApi } from "../../backend/kit/suite/document.ts";
import { headerChecks } from "../../backend/kit/suite/headers.ts";
import { healthChecks } from "../../backend/kit/suite/health.ts";
import { operationChecks } from "../../backend/kit/suite/operations.ts";
import { routeChecks } from "../../backend/kit/suite/routes.ts";
import { defaults } from "../../backend/kit/suite/suite.ts";
import type { Backend } from "../../backend/kit/test/backend.ts";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { frameworks } from "../../backend/test/support/matrix.ts";
import { Wire } from "../../backend/test/support/wire.ts";
import { listChecks, runChecks } from "../src/checks.ts";
import { writeFiles } from "../src/new/write.ts";
import { describe as describeProject } from "./openapi/describe.ts";
import { plugins } from "./owner/plugins.ts";
import { addMount } from "./owner/project.ts";
import { buildWithoutPackages, project, start, writeOut } from "./support.ts";

/** The checks that meet such routes and plugins. */
const relevant = [
  ...healthChecks,
  ...operationChecks,
  ...routeChecks,
  ...headerChecks,
  ...corsChecks,
  ...creatingChecks.filter(({ name }) => /not application\/json/.test(name)),
];
const names = new Set(relevant.map(({ name }) => name));

/** A listener of the owner that takes upgrades at one path and refuses all others. */
const upgrades = `  if (process.env["UPGRADES"])
    parts.server.on("upgrade", ({ url }, socket) => {
      if (url === "/socket") socket.write("HTTP/1.1 101 Switching Protocols\\r\\n\\r\\n");
      else socket.end("HTTP/1.1 400 Bad Request\\r\\nContent-Length: 0\\r\\n\\r\\n");
    });`;

describe("the suite copes with what an owner adds", { concurrency: 2 }, () => {
  for (const framework of frameworks)
    describe(`in ${framework}`, () => {
      const made = own(framework);

      test("streams, downloads, redirects, pages and files", async () => {
        const { faults, skipped } = await check(await made, {});
        assert.deepEqual(faults, []);
        assert.match(skipped.join("\n"), /GET \/events streams/);
      });

      test("a CORS plugin: what it changes is not checked, and the report says so", async () => {
        const { faults, skipped } = await check(await made, { CORS: "yes" });
        assert.deepEqual(faults, []);
        assert.match(skipped.join("\n"), /plugin of the app answers OPTIONS, and sets access-control-/);
      });

      test("a rate limit: what it refuses is not checked, and the report says so", async () => {
        const { faults, skipped, count } = await check(await made, { LIMIT: "40" });
        assert.deepEqual(faults, []);
        assert.match(skipped.join("\n"), /rate limit refuses requests \(429\)/);
        assert.ok(skipped.length < count, "some checks ran");
      });

      if (framework === "express")
        test("a guard of a path: what it refuses is not checked, and the report says so", async () => {
          const { faults, skipped } = await check(await made, { GUARD: "yes" });
          assert.deepEqual(faults, []);
          assert.match(skipped.join("\n"), /A guard of the app refuses requests at \/page with 403/);
        });

      test("WebSockets: what the app answers is not checked, and the report says so", async () => {
        const { faults, skipped } = await check(await made, { UPGRADES: "yes" }, stopWithUpgrade);
        assert.deepEqual(faults, []);
        assert.match(skipped.join("\n"), /The app itself answers requests for an upgrade/);
      });
    });
});

interface Made {
  folder: string;
  document: OpenApi;
}

async function own(framework: string): Promise<Made> {
  const folder = writeOut(project({ framework, database: "sqlite", features: ["cors"] }));
  const { routes, plugins: lines, after, mount } = plugins[framework] ?? assert.fail(framework);
  writeFiles(folder, [["src/pages/routes.ts", routes]]);
  const app = join(folder, "src/app.ts");
  const text = readFileSync(app, "utf8");
  assert.equal(text.split(after).length, 2, after);
  writeFileSync(
    app,
    text
      .replace(after, () => `${after}\n${lines}`)
      .replace(/^export .*createApp\(.*\n/m, (line) => `${line}${upgrades}\n`),
  );
  addMount(folder, mount);
  await buildWithoutPackages(folder);
  const document = JSON.parse((await describeProject(folder)).text);
  return { folder, document };
}

/** Runs the relevant checks, and returns what they found. */
async function check({ folder, document }: Made, env: Record<string, string>, last = async (_: Backend) => {}) {
  using backend = await start(folder, { DATABASE_URL: await newSqliteFile(), ...corsOrigins, ...env });
  const checks = listChecks(document, ["cors"]).filter(({ name }) => names.has(name));
  const findings = await Promise.all(runChecks(checks, { ...defaults, url: backend.url }));
  await last(backend);
  const skipped = findings.flatMap(({ skipped }) => skipped ?? []);
  return { faults: findings.filter(({ fault }) => fault !== undefined), skipped, count: findings.length };
}

/** An upgraded connection is open, and ends with the backend. */
async function stopWithUpgrade(backend: Backend): Promise<void> {
  const wire = await Wire.open(backend.url);
  wire.send("GET /socket HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket", "", "");
  await wire.answers(1);
  assert.match(wire.received, /^HTTP\/1\.1 101 /);
  assert.equal(await backend.stop(), 0, backend.logged.slice(-3).join("\n"));
  await eventually(() => wire.socket.destroyed, "the end of the connection");
}
