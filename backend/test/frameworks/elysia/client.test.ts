import assert from "node:assert/strict";
import { test } from "node:test";
import { Elysia } from "elysia";
import { openApp } from "../../../kit/test/app.ts";
import type { WithProblems } from "../../../src/core/frameworks/elysia/connect.ts";
import { type App, createApp } from "../../../src/frameworks/elysia/app.ts";

/** What a typed client (Eden) reads. */
type Items = App["~Routes"]["items"];
type Page = Items["get"]["response"][200];
type Query = Items["get"]["query"];
type NewItem = Items["post"]["body"];
type Created = Items["post"]["response"][201];
type Found = Items[":id"]["get"]["response"][200];
type Creation = Items["post"]["headers"];
type Conditions = Items[":id"]["get"]["headers"];
type ChangeConditions = Items[":id"]["patch"]["headers"];
type Change = Items[":id"]["patch"]["body"];
type Refused = Items["post"]["response"][422];
type Removed = keyof Items[":id"]["delete"]["response"];

test("the app's type has the routes, their bodies and their answers", async () => {
  const app = await openApp(createApp);
  const sent: NewItem = { name: "typed" };
  const headers = { "Content-Type": "application/json" };
  const url = "http://localhost/items";
  const created = await app.handle(new Request(url, { method: "POST", headers, body: JSON.stringify(sent) }));
  assert.equal(created.status, 201);
  const { id } = (await created.json()) as Created;
  const found = (await (await app.handle(new Request(`${url}/${id}`))).json()) as Found;
  assert.equal(found.name satisfies string, "typed");
  const { items, nextCursor } = (await (await app.handle(new Request(url))).json()) as Page;
  const names: string[] = items.map(({ name }) => name);
  assert.deepEqual([names, nextCursor satisfies string | null], [["typed"], null]);
  const query: Query = { limit: 1 };
  const { nextCursor: next } = (await (await app.handle(new Request(`${url}?limit=${query.limit}`))).json()) as Page;
  assert.equal(next, null);
  // @ts-expect-error: there is no such parameter.
  const wrongQuery: Query = { offset: 1 };
  assert.ok(wrongQuery);
  assert.ok({ "idempotency-key": "one" } satisfies Creation);
  assert.ok({ "if-none-match": "*" } satisfies Conditions);
  assert.ok({ "if-match": "*" } satisfies ChangeConditions);
  // @ts-expect-error: a change needs `If-Match`.
  const none: ChangeConditions = {};
  assert.ok({ none, change: {} satisfies Change });
  // @ts-expect-error: there is no such field.
  const wrongChange: Change = { nmae: "typed" };
  assert.ok(wrongChange);
  // @ts-expect-error: there is no such header.
  const wrongHeaders: Conditions = { "if-mtach": "*" };
  assert.ok(wrongHeaders);
  const refused = await app.handle(new Request(url, { method: "POST", headers, body: "{}" }));
  const { code, errors } = (await refused.json()) as Refused;
  assert.deepEqual([code satisfies string, errors?.[0]?.pointer], ["invalid_item", "#/name"]);
  // @ts-expect-error: a removed item is not returned.
  const wrongStatus: Removed = 200;
  assert.ok(wrongStatus);
  // @ts-expect-error: there is no such field.
  const wrong: NewItem = { nmae: "typed" };
  assert.ok(wrong);
});

test("the app's type is kept, whatever state and macros it has", () => {
  const own = new Elysia()
    .state("session", {})
    .macro("isSignedIn", { resolve: ({ headers, status }) => (headers["x"] ? { user: "x" } : status(401)) })
    .get("/me", ({ user }) => user, { isSignedIn: true });
  const answer: WithProblems<typeof own>["~Routes"]["me"]["get"]["response"][200] = "x";
  assert.equal(answer satisfies string, "x");
});
