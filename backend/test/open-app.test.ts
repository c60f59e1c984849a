import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openApp, serve } from "../kit/test/app.ts";
import { ask } from "../kit/test/ask.ts";
import { createApp as createElysia } from "../src/frameworks/elysia/app.ts";
import { createApp as createFastify } from "../src/frameworks/fastify/app.ts";
import { createApp as createHapi } from "../src/frameworks/hapi/app.ts";

describe("an app that a test opens", () => {
  const calls: string[] = [];
  const apps: Record<string, () => Promise<unknown>> = {
    elysia: async () => (await openApp(createElysia)).onStop(() => void calls.push("elysia")),
    fastify: async () => (await openApp(createFastify)).addHook("onClose", async () => void calls.push("fastify")),
    hapi: async () => (await openApp(createHapi)).ext("onPostStop", () => void calls.push("hapi")),
  };
  for (const [framework, open] of Object.entries(apps))
    test(`is closed after it, with its hooks, in ${framework}`, async (context) => {
      await context.test("the owner's test", async () => {
        await open();
      });
      assert.ok(calls.includes(framework));
    });
});

describe("an app that a test serves", async () => {
  const url = await serve();

  test("needs a token, as it does for clients", async () => {
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(`${url}/items`, { method: "POST", headers, body: "{}" });
    assert.equal(status, 401);
  });

  test("answers as it does to clients", async () => {
    const { status, body } = await ask(url, "POST", "/items", { name: "one" });
    assert.deepEqual([status, body.name], [201, "one"]);
    assert.equal((await ask(url, "PATCH", "/items")).status, 405);
  });
});
