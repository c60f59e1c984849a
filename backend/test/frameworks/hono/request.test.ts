import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { appendTrailingSlash, trimTrailingSlash } from "hono/trailing-slash";
import * as v from "valibot";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { sValidator, toListener } from "../../../src/core/frameworks/hono/connect.ts";
import { answers, bodyLimit, handlerTimeout } from "../../../src/core/http/routes.ts";
import { createApp } from "../../../src/frameworks/hono/app.ts";
import { createTestServer } from "../../support/server.ts";

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

test("a query that no list takes is refused, also with names that objects have", async () => {
  const app = await openApp(createApp);
  for (const query of [
    "limit=1&limit=1",
    "limit=",
    "limit",
    "=1",
    "?limit=1",
    "more=1",
    "__proto__=1",
    "constructor=1",
  ]) {
    const response = await app.request(`/items?${query}`);
    const { code } = (await response.json()) as { code: string };
    assert.deepEqual([response.status, code], [400, "invalid_query"], query);
  }
});

test("a schema of the owner is for any part of a request", async () => {
  const app = await openApp(createApp);
  const Filter = v.object({ page: v.pipe(v.string(), v.digits()) });
  app.get(
    "/filter/:page",
    sValidator("param", Filter),
    sValidator("query", Filter),
    sValidator("header", Filter),
    (c) => c.json([c.req.valid("param"), c.req.valid("query"), c.req.valid("header")].map(({ page }) => page)),
  );
  const headers = { page: "3" };
  assert.deepEqual(await (await app.request("/filter/1?page=2", { headers })).json(), ["1", "2", "3"]);
  for (const [path, code] of [
    ["/filter/x?page=2", "bad_request"],
    ["/filter/1?page=x", "invalid_query"],
  ] as const) {
    const response = await app.request(path, { headers });
    assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [400, code]);
  }
});

test("a slash at the end reaches Hono's middleware for it, and no route", async () => {
  const serve = async (app: Hono) => {
    const server = createTestServer(
      toListener(app.get("/page", (c) => c.text("page")).get("/folder/", (c) => c.text("folder"))),
    );
    after(() => server.drain());
    const url = `http://127.0.0.1:${await server.listen()}`;
    return async (path: string) => {
      const { status, headers } = await fetch(url + path, { headers: { ...credentials }, redirect: "manual" });
      return [status, headers.get("location")?.replace(url, "")];
    };
  };
  const trimmed = await serve(new Hono().use(trimTrailingSlash()));
  assert.deepEqual(await trimmed("/page/?a=1"), [301, "/page?a=1"]);
  assert.deepEqual(await trimmed("/folder/"), [200, undefined]);
  const appended = await serve(new Hono().use(appendTrailingSlash()));
  assert.deepEqual(await appended("/folder"), [301, "/folder/"]);
  for (const strict of [true, false]) {
    const plain = await serve(new Hono({ strict }));
    assert.deepEqual(await plain("/page"), [200, undefined]);
    assert.deepEqual(await plain("/page/"), [404, undefined]);
    assert.deepEqual(await plain("//"), [404, undefined]);
  }
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

test("an app may have variables and bindings of its own", () => {
  const app = new Hono<{ Bindings: HttpBindings; Variables: { user: string } }>();
  app.get("/me", (c) => c.text(c.var.user));
  assert.deepEqual(
    toListener(app).routes.map(({ pattern }) => pattern),
    ["/me"],
  );
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
