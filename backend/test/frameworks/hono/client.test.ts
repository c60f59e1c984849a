import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { testClient } from "hono/testing";
import * as v from "valibot";
import { valid } from "../../../src/core/frameworks/hono/body.ts";
import { exactly } from "../../../src/core/resource.ts";
import { createApp } from "../../../src/frameworks/hono/app.ts";
import { openApp } from "../../support/app.ts";

test("a typed client knows the routes, their bodies and their answers", async () => {
  const app = await openApp(createApp);
  const client = testClient(app);
  const created = await client.items.$post({ json: { name: "typed" } });
  assert.equal(created.status satisfies 201, 201);
  const { id } = await created.json();
  const found = await client.items[":id"].$get({ param: { id } });
  assert.ok(found.status === 200);
  assert.equal((await found.json()).name satisfies string, "typed");
  const { items, nextCursor } = await (await client.items.$get()).json();
  const names: string[] = items.map(({ name }) => name);
  assert.deepEqual([names, nextCursor satisfies string | null], [["typed"], null]);
  // @ts-expect-error: there is no such field.
  assert.equal((await client.items.$post({ json: { nmae: "typed" } })).status, 422);
});

test("a typed client may leave out a field with a default", async () => {
  const Counted = exactly({ count: v.optional(v.number(), 5) });
  const app = new Hono().post("/", valid(Counted), (c) => c.json(c.req.valid("json").count satisfies number));
  assert.equal(await (await testClient(app).index.$post({ json: {} })).json(), 5);
});
