import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openApp } from "../../../dory.ts";
import { createApp } from "../../../src/frameworks/h3/app.ts";

/** Add tests of your own routes here. They call the app in this process, where a debugger can stop. */
describe("the app", async () => {
  const app = await openApp(createApp);

  test("is healthy", async () => {
    const response = await app.request("/health");
    assert.deepEqual([response.status, await response.json()], [200, { status: "ok" }]);
  });

  test("says what is wrong with a body", async () => {
    const headers = { "Content-Type": "application/json" };
    const response = await app.request("/items", { method: "POST", headers, body: '{"unknown":1}' });
    const { code } = (await response.json()) as { code: string };
    assert.deepEqual([response.status, code], [422, "invalid_item"]);
  });
});
