import assert from "node:assert/strict";
import { test } from "node:test";
import { Elysia, t } from "elysia";
import { declaredIn } from "../../../kit/openapi/declared.ts";
import { readRoute } from "../../../kit/openapi/frameworks/elysia/route.ts";

/** What `openapi.json` is made from. */
function read(app: Elysia) {
  const [{ hooks } = assert.fail()] = app.routes;
  return declaredIn(readRoute({ hooks, app }));
}

test("what t accepts beside JSON is left out of the schema of a body, and its marks for Elysia", () => {
  const body = t.Object({
    stars: t.Integer({ maximum: 5 }),
    price: t.Numeric({ error: "must be a number" }),
    isNew: t.BooleanString(),
    at: t.Date(),
    error: t.String(),
    kind: t.Union([t.String(), t.Null()]),
  });
  const { body: declared } = read(new Elysia().post("/", () => "", { body, parse: "json" }) as unknown as Elysia);
  const schema = declared?.content["application/json"] as { properties: Record<string, object> };
  assert.deepEqual(schema.properties, {
    stars: { type: "integer", maximum: 5 },
    price: { type: "number" },
    isNew: { type: "boolean" },
    at: { type: "string", format: "date-time" },
    error: { type: "string" },
    kind: { anyOf: [{ type: "string" }, { type: "null" }] },
  });
});

test("of a file, what its owner says about it is kept", () => {
  const body = t.Object({ picture: t.File({ maxSize: "1m", description: "Of the boat" }) });
  const { body: declared } = read(new Elysia().post("/", () => "", { body }) as unknown as Elysia);
  const schema = declared?.content["multipart/form-data"] as { properties: Record<string, object> };
  assert.deepEqual(schema.properties, { picture: { type: "string", format: "binary", description: "Of the boat" } });
});

test("a body that may be missing is not required, nor a parameter with a default", () => {
  const app = new Elysia().post("/", () => "", {
    body: t.Optional(t.Object({ n: t.Number() })),
    query: t.Object({ page: t.Number({ default: 1 }), size: t.Number() }),
    parse: "json",
  });
  const { body, parameters } = read(app as unknown as Elysia);
  assert.equal(body?.isOptional, true);
  assert.deepEqual(
    parameters.map(({ name, required = false }) => [name, required]),
    [
      ["page", false],
      ["size", true],
    ],
  );
});

test("a body has the type of its parser, and cookies and the status for wrong parameters are told", () => {
  const types = ["urlencoded", "formdata", "text", "json"] as const;
  const declared = types.map((parse) => {
    const app = new Elysia().post("/", () => "", { body: t.Object({ a: t.String() }), parse });
    return Object.keys(read(app as unknown as Elysia).body?.content ?? {});
  });
  const expected = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "application/json"];
  assert.deepEqual(declared.flat(), expected);
  const cookie = t.Cookie({ session: t.String() });
  const { parameters, parameterRefusal } = read(new Elysia().get("/", () => "", { cookie }) as unknown as Elysia);
  assert.deepEqual(
    parameters.map((one) => [one.in, one.name]),
    [["cookie", "session"]],
  );
  assert.equal(parameterRefusal, 422);
});
