import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { apiTokens } from "../../backend/test/conformance/auth/tokens.ts";
import { corsOrigins } from "../../backend/test/conformance/cors/origins.ts";
import { Backend } from "../../backend/test/support/backend.ts";
import { newSqliteFile } from "../../backend/test/support/sqlite.ts";
import { project, repository, run, temporaryFolder, writeOut } from "./support.ts";

const openApi = join(repository, "backend/openapi.json");

describe("dory check, of a backend with every feature", () => {
  let backend: Backend;

  before(async () => {
    const limits = { HEADERS_TIMEOUT_MS: "1000", REQUEST_TIMEOUT_MS: "2000" };
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile(), ...limits });
  });
  after(() => backend.stop());

  test("holds it against all of the contract", async () => {
    const doryJson = join(temporaryFolder(), "dory.json");
    writeFileSync(doryJson, project({ framework: "hono", features: ["auth", "cors"] }).get("dory.json") ?? "");
    const told = { ...apiTokens, ...corsOrigins };
    const fromOpenApi = await check(told, backend.url, "--fields-from", openApi);
    const fromDoryJson = await check(told, backend.url, "--fields-from", doryJson);
    for (const { ok, checks } of [fromOpenApi, fromDoryJson]) assert.ok(ok, JSON.stringify(checks));
    assert.deepEqual(fromOpenApi.checks, fromDoryJson.checks);
    const withoutCors = await check(apiTokens, backend.url);
    assert.ok(withoutCors.ok && withoutCors.checks.length < fromOpenApi.checks.length);
  });

  test("says that a token is wanted, though nobody told of one", async () => {
    assert.equal((await check(corsOrigins, backend.url)).code, "token_missing");
  });

  for (const token of ["wrong", "", "two words", "ü", "line\nbreak"])
    test(`says that a token is refused: ${JSON.stringify(token)}`, async () => {
      const { code, message } = await check({ API_TOKENS: token }, backend.url);
      assert.equal(code, "token_refused");
      assert.ok(token === "" || !message.includes(`"${token}"`));
    });

  test("asks for the origins that it cannot know", async () => {
    assert.equal((await check(apiTokens, backend.url, "--fields-from", openApi)).code, "origins_missing");
  });
});

describe("dory check, of a project", { concurrency: 2 }, () => {
  for (const features of [[], ["auth"], ["cors"]])
    test(`with ${features.join() || "no feature"}`, async () => {
      const folder = writeOut(project({ framework: "hono", database: "sqlite", fields: ["live:boolean"], features }));
      await run(folder, "npm", "run", "build");
      const limits = { HEADERS_TIMEOUT_MS: "1000", REQUEST_TIMEOUT_MS: "2000" };
      const own = ["sh", "-c", `exec "$0" ${folder}/dist/main.cjs`];
      using backend = await Backend.start({ ...limits, DATABASE_URL: await newSqliteFile() }, own);
      const told = { ...(features.includes("auth") && apiTokens), ...(features.includes("cors") && corsOrigins) };
      const { ok, checks } = await check(told, backend.url, "--fields-from", join(folder, "dory.json"));
      assert.ok(ok, JSON.stringify(checks));
    });
});

// biome-ignore lint/suspicious/noExplicitAny: a result or a fault
function check(env: NodeJS.Dict<string>, ...args: string[]): Promise<any> {
  const dory = join(repository, "tool/bin/dory.js");
  return new Promise((resolve) =>
    execFile(process.execPath, [dory, "check", ...args, "--json"], { env }, (_error, stdout) =>
      resolve(JSON.parse(stdout)),
    ),
  );
}
