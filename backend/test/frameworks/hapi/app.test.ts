import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, openApp, serve } from "../../../dory.ts";
import { createApp } from "../../../src/frameworks/hapi/app.ts";

// Add tests of your own routes here: they call the app, or send requests to its server as clients do. Both are in this
// process, where a debugger can stop.
const server = await openApp(createApp);
// Starts the caches that plugins use.
await server.initialize();
const url = await serve();

test("is healthy", async () => {
  const response = await server.inject("/health");
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.result, { status: "ok" });
});

test("says what is wrong with a body", async () => {
  const { status, body } = await ask(url, "POST", "/items", { unknown: 1 });
  assert.equal(status, 422);
  assert.equal(body.code, "invalid_item");
});
