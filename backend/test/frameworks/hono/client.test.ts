import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { testClient } from "hono/testing";
import * as v from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { sValidator } from "../../../src/core/frameworks/hono/connect.ts";
import { exactly } from "../../../src/core/resource.ts";
import { type AppType, createApp } from "../../../src/frameworks/hono/app.ts";

test("a typed client knows the routes, their bodies and their answers", async () => {
  const app = await openApp(createApp);
  const client = testClient(app);
  const created = await client.items.$post({ json: { name: "typed" } });
  assert.equal(created.status satisfies 201, 201);
  const { id } = await created.json();
  const found = await client.items[":id"].$get({ param: { id } });
  assert.ok(found.status === 200);
  assert.equal((await found.json()).name satisfies string, "typed");
  // @ts-expect-error: a change needs `If-Match`.
  const removed = await client.items[":id"].$delete({ param: { id } });
  assert.equal(removed.status satisfies 204 as number, 428);
  const { items, nextCursor } = await (await client.items.$get()).json();
  const names: string[] = items.map(({ name }) => name);
  assert.deepEqual([names, nextCursor satisfies string | null], [["typed"], null]);
  // @ts-expect-error: there is no such field.
  assert.equal((await client.items.$post({ json: { nmae: "typed" } })).status, 422);
});

test("a typed client knows the headers of a request", async () => {
  const client = testClient(await openApp(createApp));
  const header = { "idempotency-key": "one" };
  const created = await client.items.$post({ json: { name: "typed" }, header });
  const again = await client.items.$post({ json: { name: "typed" }, header });
  const { id } = await created.json();
  assert.equal((await again.json()).id, id);
  const match = { "if-match": created.headers.get("etag") ?? "" };
  const changed = await client.items[":id"].$put({ param: { id }, json: { name: "changed" }, header: match });
  assert.equal(changed.status satisfies 200, 200);
  const change = { param: { id }, header: { "if-match": "*" } };
  assert.equal((await client.items[":id"].$patch({ ...change, json: {} })).status satisfies 200, 200);
  // @ts-expect-error: there is no such field.
  assert.equal((await client.items[":id"].$patch({ ...change, json: { nmae: "typed" } })).status, 422);
  // @ts-expect-error: there is no such header.
  const removed = await client.items[":id"].$delete({ param: { id }, header: { "if-mtach": match["if-match"] } });
  assert.equal(removed.status satisfies 204 as number, 428);
});

test("a typed client knows the query of a list", async () => {
  const client = testClient(await openApp(createApp));
  for (const name of ["first", "second"]) await client.items.$post({ json: { name } });
  const page = await (await client.items.$get({ query: { limit: "1" } })).json();
  const rest = await (await client.items.$get({ query: { cursor: page.nextCursor ?? "" } })).json();
  const names = [page, rest].map(({ items }) => items.map(({ name }) => name));
  assert.deepEqual(names, [["second"], ["first"]]);
  // @ts-expect-error: there is no such parameter.
  assert.equal((await client.items.$get({ query: { page: "2" } })).status, 400);
});

test("a typed client knows the failures", async () => {
  const client = testClient<AppType>(await openApp(createApp));
  const refused = await client.items.$post({ json: { name: "" } });
  assert.ok(!refused.ok);
  const { code, errors } = await refused.json();
  assert.deepEqual([code satisfies string, errors?.[0]?.pointer], ["invalid_item", "#/name"]);
  const created = await client.items.$post({ json: { name: "typed" } });
  assert.ok(created.ok);
  assert.equal((await created.json()).name satisfies string, "typed");
});

test("a typed client may leave out a field with a default", async () => {
  const Counted = exactly({ count: v.optional(v.number(), 5) });
  const app = new Hono().post("/", sValidator("json", Counted), (c) =>
    c.json(c.req.valid("json").count satisfies number),
  );
  assert.equal(await (await testClient(app).index.$post({ json: {} })).json(), 5);
});
