import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, openApp, serve } from "../../../dory.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";

// Add tests of your own routes here: they call the app, or send requests to its server as clients do. Both are in this
// process, where a debugger can stop.
const app = await openApp(createApp);
const url = await serve();

test("is healthy", async () => {
  const response = await app.inject("/health");
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json(), { status: "ok" });
});

test("says what is wrong with a body", async () => {
  const response = await app.inject({ method: "POST", url: "/items", payload: { unknown: 1 } });
  assert.equal(response.statusCode, 422);
  assert.equal(response.json().code, "invalid_item");
});

test("allows no other method, as clients see it", async () => {
  const { status, body } = await ask(url, "PUT", "/items", {});
  assert.equal(status, 405);
  assert.equal(body.code, "method_not_allowed");
});
