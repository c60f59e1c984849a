import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseEnv } from "node:util";
import type { Backend } from "../../../backend/kit/test/backend.ts";
import { newSqliteFile } from "../../../backend/kit/test/sqlite.ts";
import { buildWithoutPackages, sharePackages, start, temporaryFolder } from "../support.ts";
import { Assistant } from "./client.ts";

describe("dory_check, of a backend that dory_create made and that runs,", () => {
  let assistant: Assistant;
  let backend: Backend;
  let secrets: NodeJS.ProcessEnv;
  before(async () => {
    const folder = temporaryFolder();
    assistant = await Assistant.start("2026-07-28", folder);
    const request = { framework: "hono", database: "sqlite", features: ["auth", "cors"], webhooks: ["github"] };
    const { folder: made } = await assistant.do("dory_create", { name: "my-api", ...request });
    sharePackages(made);
    await buildWithoutPackages(made);
    secrets = parseEnv(readFileSync(join(made, ".env"), "utf8"));
    const limits = { HEADERS_TIMEOUT_MS: "8000", REQUEST_TIMEOUT_MS: "8000" };
    backend = await start(made, {
      ...(secrets as Record<string, string>),
      ...limits,
      DATABASE_URL: await newSqliteFile(),
    });
  });
  after(async () => {
    await backend.stop();
    await assistant.end();
  });

  test("runs every check with the tokens and secrets of its .env, and reports how far it is", async () => {
    const progress: string[] = [];
    const input = { url: backend.url, folder: "my-api" };
    const checked = await assistant.do("dory_check", input, { onProgress: (message) => void progress.push(message) });
    assert.deepEqual(checked.faults, []);
    assert.ok(checked.isOk && checked.passed === checked.checks && checked.checks > 50, JSON.stringify(checked));
    assert.match(progress.at(-1) ?? "", /^\d+ of \d+ checks$/);
    for (const value of Object.values(secrets)) assert.ok(!JSON.stringify([checked, progress]).includes(`${value}`));
  });

  test("reports what does not hold, and ends at once when it is cancelled", async () => {
    // Without the project's document, items have only a name, and there are no webhooks.
    assert.match(await assistant.refuse("dory_check", { url: backend.url }), /requires a token/);
    const controller = new AbortController();
    const call = assistant.call(
      "dory_check",
      { url: backend.url, folder: "my-api" },
      {
        signal: controller.signal,
        onProgress: () => controller.abort(),
      },
    );
    await assert.rejects(call);
    assert.equal((await assistant.do("dory_options")).frameworks.length, 8);
  });
});
