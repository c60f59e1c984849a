import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, openApp, serve } from "../../../dory.ts";
import { createApp } from "../../../src/frameworks/elysia/app.ts";

// Add tests of your own routes here: they call the app, or send requests to its server as clients do. Both are in this
// process, where a debugger can stop.
const app = await openApp(createApp);
const url = await serve();

test("is healthy", async () => {
  const response = await app.handle(new Request("http://localhost/health"));
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { status: "ok" });
});

test("says what is wrong with a body", async () => {
  const response = await app.handle(
    new Request("http://localhost/items", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ unknown: 1 }),
    }),
  );
  assert.equal(response.status, 422);
  assert.partialDeepStrictEqual(await response.json(), { code: "invalid_item" });
});

test("allows no other method, as clients see it", async () => {
  const { status, body } = await ask(url, "PUT", "/items", {});
  assert.equal(status, 405);
  assert.equal(body.code, "method_not_allowed");
});
