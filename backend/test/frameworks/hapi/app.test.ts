import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openApp } from "../../../dory.ts";
import { createApp } from "../../../src/frameworks/hapi/app.ts";

/** Add tests of your own routes here. They call the app in this process, where a debugger can stop. */
describe("the app", async () => {
  const server = await openApp(createApp);
  // Starts the caches that plugins use.
  await server.initialize();
  after(() => server.stop());

  test("is healthy", async () => {
    const response = await server.inject("/health");
    assert.deepEqual([response.statusCode, response.result], [200, { status: "ok" }]);
  });

  test("says what is wrong with a body", async () => {
    const response = await server.inject({ method: "POST", url: "/items", payload: { unknown: 1 } });
    assert.deepEqual([response.statusCode, JSON.parse(response.payload).code], [422, "invalid_item"]);
  });
});
