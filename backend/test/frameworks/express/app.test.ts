import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, serve } from "../../../dory.ts";

// Add tests of your own routes here. The app runs in this process, where a debugger can stop.
const url = await serve();

test("is healthy", async () => {
  assert.deepEqual(await ask(url, "GET", "/health"), { status: 200, body: { status: "ok" } });
});

test("says what is wrong with a body", async () => {
  const { status, body } = await ask(url, "POST", "/items", { unknown: 1 });
  assert.equal(status, 422);
  assert.equal(body.code, "invalid_item");
});
