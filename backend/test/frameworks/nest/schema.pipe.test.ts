import "reflect-metadata";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArgumentMetadata } from "@nestjs/common";
import * as v from "valibot";
import { jsonBody, MissingJson, SchemaPipe } from "../../../src/core/frameworks/nest/request.ts";
import { PageQuery } from "../../../src/core/resource.ts";

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

test("no field is removed before a schema sees it", async () => {
  const value = JSON.parse('{"name":"a","__proto__":{}}');
  await assert.rejects(validate("body", value), { status: 422 });
  await assert.rejects(validate("query", value), { status: 400 });
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
