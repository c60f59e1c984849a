import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as v from "valibot";
import { z } from "zod";
import { describeResource, readSchema } from "../../../backend/kit/openapi/schema.ts";
import { formats } from "../../../backend/kit/suite/formats.ts";
import { exactly, type Resource } from "../../../backend/src/core/resource.ts";
import { project } from "../support.ts";

describe("the JSON schema of a resource", () => {
  const expected = { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] };

  test("is made from its fields; a check that JSON Schema cannot express is left out", () => {
    const name = v.pipe(
      v.string(),
      v.minLength(1),
      v.check(() => true),
    );
    assert.deepEqual(describeResource(resource(exactly({ name }))), { ...expected, additionalProperties: false });
  });

  test("is made by any other library that can", () => {
    const schema = z.strictObject({ name: z.string().min(1) });
    assert.deepEqual(describeResource(resource(schema)), { ...expected, additionalProperties: false });
  });

  test("allows in a pattern what a field of a new project allows, if its format allows more", () => {
    const text = project({ framework: "hono", fields: ["site:url", "mail:email"] }).get("openapi.json") ?? "";
    const { site, mail } = JSON.parse(text).components.schemas.NewItem.properties;
    const isAllowed = (value: string, { pattern }: { pattern: string }) => new RegExp(pattern, "u").test(value);
    for (const value of formats["uri"]?.good ?? []) assert.ok(isAllowed(value, site), value);
    for (const value of formats["email"]?.good ?? []) assert.ok(isAllowed(value, mail), value);
    for (const value of ["javascript:alert(1)", "data:text/plain,x", "ftp://example.com/", "http:///items", "//a"])
      assert.ok(!isAllowed(value, site), value);
    for (const value of formats["email"]?.bad ?? []) assert.ok(!isAllowed(value, mail), value);
    for (const value of ['"a b"@example.com', "a@[192.0.2.1]"]) assert.ok(!isAllowed(value, mail), value);
  });

  test("may be declared; if it is not and cannot be made, that is reported", () => {
    const schema = { "~standard": { version: 1 as const, vendor: "own", validate: () => ({ value: {} }) } };
    assert.deepEqual(describeResource({ ...resource(schema), jsonSchema: expected }), expected);
    assert.throws(() => describeResource(resource(schema)), /"things".*Add a jsonSchema to the resource/);
    assert.throws(() => describeResource(resource(exactly({ at: v.date() }))), /"date" schema cannot be converted/);
  });
});

test("a schema of a library that tells nothing about itself is left out, not read as JSON schema", () => {
  class Schema {
    readonly $_root = { type: "any" };
  }
  assert.equal(readSchema(new Schema(), "input"), undefined);
  const nested = { allOf: [{ $id: "#/components/schemas/note", type: "object" }] };
  assert.deepEqual(readSchema(nested, "input"), { allOf: [{ type: "object" }] });
  const plain = Object.assign(Object.create(null), { type: "string" });
  for (const schema of [plain, { ...plain }]) assert.deepEqual({ ...readSchema(schema, "input") }, { type: "string" });
});

function resource(schema: Resource["schema"]): Resource {
  return { name: "things", title: "Thing", schema, columns: {} };
}
