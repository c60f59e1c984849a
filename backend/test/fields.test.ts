import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
import { describeResource } from "../kit/openapi/schema.ts";
import { formats } from "../kit/suite/formats.ts";
import { boolean } from "../src/core/fields/boolean.ts";
import { choice } from "../src/core/fields/choice.ts";
import { date } from "../src/core/fields/date.ts";
import { email } from "../src/core/fields/email.ts";
import { type Column, type Field, field, optional, withDefault } from "../src/core/fields/field.ts";
import { integer } from "../src/core/fields/integer.ts";
import { json } from "../src/core/fields/json.ts";
import { list } from "../src/core/fields/list.ts";
import { number } from "../src/core/fields/number.ts";
import { ref } from "../src/core/fields/ref.ts";
import { string } from "../src/core/fields/string.ts";
import { timestamp } from "../src/core/fields/timestamp.ts";
import { unique } from "../src/core/fields/unique.ts";
import { url } from "../src/core/fields/url.ts";
import { uuid } from "../src/core/fields/uuid.ts";
import { type Fields, resource } from "../src/core/resource.ts";

const anId = "01a1dfb5-23f9-7600-89d4-567e85082e75";
const emailPattern =
  "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$";

interface Expected {
  column: Column["type"];
  jsonSchema: object;
  accepts: unknown[];
  /** What is refused, each with its message. */
  refuses: [value: unknown, message: string][];
}

const types: Record<string, [Field, Expected]> = {
  "string()": [
    string(),
    {
      column: "text",
      jsonSchema: { type: "string" },
      accepts: ["", "x".repeat(1000), "\u{1f600}"],
      refuses: [
        [5, "must be a string"],
        ["a\0", "must not contain U+0000 or a lone surrogate"],
        ["\ud800", "must not contain U+0000 or a lone surrogate"],
      ],
    },
  ],
  "string({ min: 1, max: 3 })": [
    string({ min: 1, max: 3 }),
    {
      column: "text",
      jsonSchema: { type: "string", minLength: 1, maxLength: 3 },
      accepts: ["a", "abc"],
      refuses: [
        ["", "must not be empty"],
        ["abcd", "must have at most 3 characters"],
      ],
    },
  ],
  "string({ min: 2, max: 2 })": [
    string({ min: 2, max: 2 }),
    {
      column: "text",
      jsonSchema: { type: "string", minLength: 2, maxLength: 2 },
      accepts: ["ab"],
      refuses: [["a", "must have at least 2 characters"]],
    },
  ],
  "string({ max: 1 })": [
    string({ max: 1 }),
    {
      column: "text",
      jsonSchema: { type: "string", maxLength: 1 },
      accepts: [""],
      refuses: [["ab", "must have at most 1 character"]],
    },
  ],
  "number({ min: 0, max: 1.5 })": [
    number({ min: 0, max: 1.5 }),
    {
      column: "number",
      jsonSchema: { type: "number", minimum: 0, maximum: 1.5 },
      accepts: [0, 1.5],
      refuses: [
        ["1", "must be a number"],
        [Number.POSITIVE_INFINITY, "must be finite"],
        [-1, "must be at least 0"],
        [2, "must be at most 1.5"],
      ],
    },
  ],
  "integer({ max: 5 })": [
    integer({ max: 5 }),
    {
      column: "integer",
      jsonSchema: { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: 5 },
      accepts: [-7, 5],
      refuses: [
        [true, "must be a number"],
        [1.5, "must be a whole number"],
        [2 ** 60, "must be a whole number"],
        [6, "must be at most 5"],
      ],
    },
  ],
  "boolean()": [
    boolean(),
    {
      column: "boolean",
      jsonSchema: { type: "boolean" },
      accepts: [true, false],
      refuses: [["true", "must be true or false"]],
    },
  ],
  "date()": [
    date(),
    {
      column: "text",
      jsonSchema: { type: "string", format: "date" },
      accepts: formats["date"]?.good ?? [],
      refuses: [
        [5, "must be a string"],
        ["2026-02-29", "must be a date, like 2026-01-31"],
      ],
    },
  ],
  "timestamp()": [
    timestamp(),
    {
      column: "text",
      jsonSchema: { type: "string", maxLength: 35, format: "date-time" },
      accepts: formats["date-time"]?.good ?? [],
      refuses: [
        ["2026-01-31", "must be a date and time as in RFC 3339, like 2026-01-31T12:00:00Z"],
        [`2026-01-31T12:00:00.${"1".repeat(15)}Z`, "must have at most 35 characters"],
      ],
    },
  ],
  "uuid()": [
    uuid(),
    {
      column: "text",
      jsonSchema: { type: "string", format: "uuid" },
      accepts: [anId, anId.toUpperCase()],
      refuses: [["x", "must be a UUID"]],
    },
  ],
  "email()": [
    email(),
    {
      column: "text",
      jsonSchema: { type: "string", format: "email", pattern: emailPattern, maxLength: 254 },
      accepts: formats["email"]?.good ?? [],
      refuses: [
        ["x", "must be an email address"],
        [`${"a".repeat(250)}@b.cd`, "must have at most 254 characters"],
      ],
    },
  ],
  "url()": [
    url(),
    {
      column: "text",
      jsonSchema: { type: "string", maxLength: 2048, format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]" },
      accepts: formats["uri"]?.good ?? [],
      refuses: [
        ["ftp://a", "must be an http: or https: URL, with other characters than those of RFC 3986 encoded"],
        [`http://${"a".repeat(2048)}`, "must have at most 2048 characters"],
      ],
    },
  ],
  'choice("a", "b")': [
    choice("a", "b"),
    {
      column: "text",
      jsonSchema: { type: "string", enum: ["a", "b"] },
      accepts: ["a"],
      refuses: [["c", "must be one of a, b"]],
    },
  ],
  'ref("orders")': [
    ref("orders"),
    {
      column: "id",
      jsonSchema: { type: "string", format: "uuid", pattern: "^[0-9a-f-]+$", "x-references": "orders" },
      accepts: [anId],
      refuses: [[anId.toUpperCase(), "must be an id, as the API returned it"]],
    },
  ],
  "list(date())": [
    list(date()),
    {
      column: "json",
      jsonSchema: { type: "array", items: { type: "string", format: "date" } },
      accepts: [[], ["2026-01-31"]],
      refuses: [
        ["2026-01-31", "must be a list of dates"],
        [["x"], "must be a date, like 2026-01-31"],
      ],
    },
  ],
  "json()": [
    json(),
    {
      column: "json",
      jsonSchema: {
        type: ["object", "array", "string", "number", "boolean", "null"],
        examples: [{ key: "value" }],
      },
      accepts: [null, 1.5, "a", { a: [{}] }],
      refuses: [
        [{ "a\0": 1 }, "must not contain U+0000 or a lone surrogate"],
        [[2 ** 60], "must not contain whole numbers beyond 9007199254740991; send them as text"],
        [JSON.parse("[".repeat(200) + "]".repeat(200)), "must be nested at most 100 deep"],
      ],
    },
  ],
};

describe("a field", () => {
  for (const [code, [made, { column, jsonSchema, accepts, refuses }]] of Object.entries(types))
    test(`${code} has a schema, messages, a column and a description`, async () => {
      const things = resource("things", "Thing", { one: made });
      assert.deepEqual(things.columns, { one: { type: column, isRequired: true } });
      assert.deepEqual(describeResource(things).properties, { one: jsonSchema });
      assert.ok(accepts.length > 0);
      for (const one of accepts) assert.deepEqual(await check(things, { one }), { one });
      for (const [one, message] of refuses) assert.deepEqual(await faults(things, { one }), [message]);
      assert.deepEqual(await faults(things, {}), ["is required"]);
    });

  test("may be left out, or has a default", async () => {
    const things = resource("things", "Thing", {
      price: optional(number()),
      live: withDefault(boolean(), true),
      tags: withDefault(list(string()), []),
    });
    assert.deepEqual(await check(things, {}), { live: true, tags: [] });
    assert.deepEqual(things.columns, {
      price: { type: "number", isRequired: false },
      live: { type: "boolean", isRequired: true, default: true },
      tags: { type: "json", isRequired: true, default: [] },
    });
    assert.deepEqual(describeResource(things).required, []);
  });

  test("may be unique or refer to others, also if it is optional", () => {
    const { unique: taken, references } = resource("things", "Thing", {
      sku: unique(string({ max: 20 })),
      code: optional(unique(string({ max: 20 }))),
      key: unique(optional(uuid())),
      orderId: optional(ref("orders")),
      note: string(),
    });
    assert.deepEqual([taken, references], [["sku", "code", "key"], { orderId: "orders" }]);
  });

  test("has a type", () => {
    const things = resource("things", "Thing", {
      name: string(),
      price: optional(number()),
      kind: choice("a", "b"),
      live: withDefault(boolean(), true),
      tags: list(integer()),
    });
    const given: StandardSchemaV1.InferInput<typeof things.schema> = { name: "x", kind: "a", tags: [1] };
    const one: Fields<typeof things> = { name: "x", kind: "b", live: false, tags: [], price: 5 };
    // @ts-expect-error: not one of them.
    const wrong: Fields<typeof things> = { name: "x", kind: "c", live: false, tags: [] };
    // @ts-expect-error: a default of another type.
    const other = withDefault(boolean(), "yes");
    assert.ok(given && one && wrong && other);
  });
});

describe("a field with a schema of one's own", () => {
  /** As libraries other than Valibot have them. */
  const even: StandardSchemaV1<number> = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value) =>
        (value as number) % 2 === 0 ? { value: value as number } : { issues: [{ message: "must be even", path: [] }] },
    },
  };

  test("may be of Valibot", async () => {
    const color = v.pipe(v.string(), v.regex(/^#[\da-f]{6}$/, "must be a color"));
    const things = resource("things", "Thing", { color: optional(field(color, { column: "text" })) });
    assert.deepEqual(await faults(things, { color: "red" }), ["must be a color"]);
    assert.deepEqual(describeResource(things).properties, { color: { type: "string", pattern: "^#[\\da-f]{6}$" } });
  });

  test("may be of any library; what it says about JSON is used, or what the owner says", async () => {
    const jsonSchema = { type: "integer", multipleOf: 2 };
    const things = resource("things", "Thing", {
      size: field(even, { column: "integer", jsonSchema, plural: "even numbers" }),
      sizes: list(field(even, { column: "integer", jsonSchema, plural: "even numbers" })),
    });
    assert.deepEqual(await check(things, { size: 2, sizes: [4] }), { size: 2, sizes: [4] });
    const { issues } = await things.schema["~standard"].validate({ size: 1, sizes: [2, 3] });
    assert.deepEqual(issues, [
      { message: "must be even", path: ["size"] },
      { message: "must be even", path: ["sizes", 1] },
    ]);
    assert.deepEqual(await faults(things, { size: 2, sizes: 5 }), ["must be a list of even numbers"]);
    assert.deepEqual(describeResource(things).properties, {
      size: jsonSchema,
      sizes: { type: "array", items: jsonSchema },
    });
    const unknown = resource("things", "Thing", { size: field(even, { column: "integer" }) });
    assert.throws(() => describeResource(unknown), /Add a jsonSchema to it/);
  });

  test("keeps the path of a fault within it, and the value that it returns", async () => {
    const point: StandardSchemaV1<{ x: number }> = {
      "~standard": {
        version: 1,
        vendor: "own",
        validate: (value) =>
          "x" in (value as object)
            ? { value: { x: Number((value as { x: unknown }).x) } }
            : { issues: [{ message: "is required", path: [{ key: "x" }] }] },
      },
    };
    const things = resource("things", "Thing", { at: field(point, { column: "json" }) });
    assert.deepEqual(await check(things, { at: { x: "5" } }), { at: { x: 5 } });
    const { issues } = await things.schema["~standard"].validate({ at: {} });
    assert.deepEqual(issues, [{ message: "is required", path: ["at", "x"] }]);
  });

  test("must not be asynchronous", async () => {
    const late: StandardSchemaV1 = {
      "~standard": { version: 1, vendor: "own", validate: async (value) => ({ value }) },
    };
    const things = resource("things", "Thing", { one: field(late, { column: "text" }) });
    await assert.rejects(check(things, { one: 1 }), /must not be asynchronous/);
  });
});

type Checked = { schema: StandardSchemaV1 };

async function check({ schema }: Checked, value: object): Promise<object> {
  const result = await schema["~standard"].validate(value);
  assert.equal(result.issues, undefined);
  return { ...(result as { value: object }).value };
}

async function faults({ schema }: Checked, value: object): Promise<string[]> {
  const { issues = [] } = await schema["~standard"].validate(value);
  return issues.map(({ message }) => message);
}
