import assert from "node:assert/strict";
import { test } from "node:test";
import { defineValidatedHandler, getValidatedQuery } from "h3";
import * as v from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { refuse, refuseQuery } from "../../../src/core/frameworks/h3/connect.ts";
import { createApp } from "../../../src/frameworks/h3/app.ts";

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
  app.post("/forms", async ({ req }) => {
    const { length } = await req.bytes();
    return [length, await req.text(), await req.text(), await req.json()];
  });
  const response = await app.request("/forms", { method: "POST", headers: json, body: '{"a":1}' });
  assert.deepEqual(await response.json(), [7, '{"a":1}', '{"a":1}', { a: 1 }]);
});

test("what a validated handler refuses is a problem, in a test without a server as well", async () => {
  const app = await openApp(createApp);
  const body = v.object({ text: v.string() });
  const handler = async ({ req }: { req: Request }) => {
    await req.json();
    return "right";
  };
  app.post("/notes", defineValidatedHandler({ validate: { body, onError: refuse }, handler }));
  for (const [sent, status, code] of [
    ['{"text":"x"}', 200, undefined],
    ['{"text":1}', 422, "invalid_item"],
    ['{"te', 400, "malformed_json"],
  ] as const) {
    const response = await app.request("/notes", { method: "POST", headers: json, body: sent });
    const text = await response.text();
    assert.deepEqual([response.status, text === "right" ? undefined : JSON.parse(text).code], [status, code], text);
  }
});

test("a query that a schema of the owner refuses names the parameter", async () => {
  const app = await openApp(createApp);
  const query = v.object({ page: v.pipe(v.string(), v.digits()) });
  app.get("/read", (event) => getValidatedQuery(event, query, { onError: refuseQuery }));
  app.get("/handled", defineValidatedHandler({ validate: { query, onError: refuse }, handler: () => "right" }));
  for (const path of ["/read", "/handled"]) {
    assert.equal((await app.request(`${path}?page=1`)).status, 200);
    const response = await app.request(`${path}?page=x`);
    const { code, errors } = (await response.json()) as { code: string; errors: { parameter: string }[] };
    assert.deepEqual([response.status, code, errors[0]?.parameter], [400, "invalid_query", "page"]);
  }
});

test("an owner's route below a resource takes a body of any type", async () => {
  const app = await openApp(createApp);
  app.post("/items/import", ({ req }) => req.text());
  const headers = { "Content-Type": "text/csv" };
  const response = await app.request("/items/import", { method: "POST", headers, body: "name\nfirst" });
  assert.deepEqual([response.status, await response.text()], [200, "name\nfirst"]);
  assert.equal((await app.request("/items", { method: "POST", headers, body: "name" })).status, 415);
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
