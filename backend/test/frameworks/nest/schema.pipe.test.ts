import "reflect-metadata";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArgumentMetadata } from "@nestjs/common";
import * as v from "valibot";
import { MergePatch } from "../../../src/core/features/item-routes/merge-patch.ts";
import { json } from "../../../src/core/fields/json.ts";
import { string } from "../../../src/core/fields/string.ts";
import { jsonBody, MissingJson, SchemaPipe } from "../../../src/core/frameworks/nest/request.ts";
import { PageQuery, resource } from "../../../src/core/resource.ts";

const pipe = new SchemaPipe();
const schema = v.strictObject({ name: v.string() });

const validate = (type: ArgumentMetadata["type"], value: unknown, more: Partial<ArgumentMetadata> = {}) =>
  pipe.transform(value, { type, schema, ...more });

test("an invalid body is a 422", async () => {
  await assert.rejects(validate("body", { name: 1 }), { status: 422, code: "invalid_item" });
  await assert.rejects(validate("body", undefined), MissingJson);
});

test("one field of a body may be missing", async () => {
  const field = { data: "name", schema: v.string() };
  await assert.rejects(validate("body", undefined, field), { status: 422 });
  assert.equal(await validate("body", "a", field), "a");
});

test("an invalid query or path is a 400, as always in Nest", async () => {
  for (const type of ["query", "param"] as const) {
    await assert.rejects(validate(type, { name: 1 }), { status: 400, name: "BadRequestException" });
    assert.deepEqual(await validate(type, { name: "a" }), { name: "a" });
  }
});

test("a key that would change a prototype is removed, as always in Nest, except where a resource decides about it", async () => {
  const value = () => JSON.parse('{"name":"a","more":{"a":1,"__proto__":{"isAdmin":true}},"__proto__":{}}');
  const loose = v.object({ name: v.string(), more: v.unknown() });
  const kept = { name: "a", more: { a: 1 } };
  for (const type of ["body", "query"] as const) {
    const found = (await validate(type, value(), { schema: loose })) as typeof kept;
    assert.deepEqual([found, Object.keys(found.more)], [kept, ["a"]]);
  }
  const things = resource("things", "Thing", { name: string(), more: json() });
  await assert.rejects(validate("body", value(), { schema: things.schema }), { status: 422, code: "invalid_item" });
  const { __proto__: _, ...item } = value();
  const stored = (await validate("body", item, { schema: things.schema })) as typeof kept;
  assert.deepEqual(Object.keys(stored.more), ["a", "__proto__"]);
  const patch = (await validate("body", value(), { schema: MergePatch })) as typeof kept;
  assert.deepEqual(Object.keys(patch), ["name", "more", "__proto__"]);
  const query = JSON.parse('{"__proto__":"1"}');
  await assert.rejects(validate("query", query, { schema: PageQuery }), { code: "invalid_query" });
});

test("the query of a list may be validated by a global pipe, too", async () => {
  const page = await validate("query", { limit: "5" }, { schema: PageQuery });
  assert.deepEqual(await validate("query", page, { schema: PageQuery }), { limit: 5, cursor: undefined });
  await assert.rejects(validate("query", { limit: ["1", "2"] }, { schema: PageQuery }), { code: "invalid_query" });
});

test("text that other middleware has read passes", async () => {
  const headers = { "content-type": "text/plain", "content-length": "4" };
  const req = { method: "POST", headers, body: "note", app: { router: { stack: [] } } };
  await new Promise((resolve) => jsonBody(req as never, {} as never, resolve));
  assert.equal(await pipe.transform(req.body, { type: "body" }), "note");
});
