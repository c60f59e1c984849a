import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openApp } from "../../../dory.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";

/** Add tests of your own routes here. They call the app in this process, where a debugger can stop. */
describe("the app", async () => {
  const app = await openApp(createApp);

  test("is healthy", async () => {
    const response = await app.inject("/health");
    assert.deepEqual([response.statusCode, response.json()], [200, { status: "ok" }]);
  });

  test("says what is wrong with a body", async () => {
    const response = await app.inject({ method: "POST", url: "/items", payload: { unknown: 1 } });
    assert.deepEqual([response.statusCode, response.json().code], [422, "invalid_item"]);
  });
});
