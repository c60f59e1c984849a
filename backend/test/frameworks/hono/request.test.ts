import assert from "node:assert/strict";
import { test } from "node:test";
import { openApp } from "../../../kit/test/app.ts";
import { toListener } from "../../../src/core/frameworks/hono/listener.ts";
import { bodyLimit, handlerTimeout } from "../../../src/core/http/body.ts";
import { answers } from "../../../src/core/http/routes.ts";
import { createApp } from "../../../src/frameworks/hono/app.ts";

const json = { "Content-Type": "application/json" };

test("a test without a server creates an item, and lists it", async () => {
  const app = await openApp(createApp);
  const created = await app.request("/items", { method: "POST", headers: json, body: '{"name":"first"}' });
  const item = (await created.json()) as { id: string };
  assert.deepEqual([created.status, created.headers.get("content-type")], [201, "application/json"]);
  assert.equal(created.headers.get("location"), `/items/${item.id}`);
  const listed = await app.request("/items?limit=1");
  assert.deepEqual(await listed.json(), { items: [item], nextCursor: null });
});

test("a route reads a body more than once, in several forms", async () => {
  const app = await openApp(createApp);
  app.post("/forms", async ({ req, json }) => {
    const { byteLength } = await req.arrayBuffer();
    return json([byteLength, await req.text(), await req.text(), await req.json()]);
  });
  const response = await app.request("/forms", { method: "POST", headers: json, body: '{"a":1}' });
  assert.deepEqual(await response.json(), [7, '{"a":1}', '{"a":1}', { a: 1 }]);
});

test("middleware that only declares something is no route", async () => {
  const app = await openApp(createApp);
  const before = toListener(app).routes.length;
  app.use("/admin/*", bodyLimit(10), handlerTimeout(10), answers({}));
  app.get("/admin/users", (c) => c.text("users"));
  const { routes } = toListener(app);
  assert.deepEqual(
    routes.slice(before).map(({ method, pattern }) => `${method} ${pattern}`),
    ["GET /admin/users"],
  );
  assert.deepEqual([routes.at(-1)?.bodyLimit, routes.at(-1)?.handlerTimeout], [10, 10]);
});
