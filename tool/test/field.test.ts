import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formats } from "../../backend/kit/suite/formats.ts";
import { Fault } from "../src/fault.ts";
import { fieldExamples } from "../src/new/choices.ts";
import { parseField, parseFields, writeField } from "../src/new/field.ts";

describe("a field", () => {
  const fields: [string, object][] = [
    ["name:string(1..200)", { name: "name", type: "string", min: 1, max: 200, isOptional: false }],
    ["note:string", { name: "note", type: "string", isOptional: false }],
    ["note:string(..5)?", { name: "note", type: "string", max: 5, isOptional: true }],
    ["price:number?", { name: "price", type: "number", isOptional: true }],
    ["price:number(min=-1.5,max=2.5)", { name: "price", type: "number", min: -1.5, max: 2.5, isOptional: false }],
    ["count:integer(min=0)", { name: "count", type: "integer", min: 0, isOptional: false }],
    ["count:integer(max=9)", { name: "count", type: "integer", max: 9, isOptional: false }],
    ["live:boolean", { name: "live", type: "boolean", isOptional: false }],
    ["due:timestamp", { name: "due", type: "timestamp", isOptional: false }],
    ["kind:enum(a|b|c)?", { name: "kind", type: "enum", values: ["a", "b", "c"], isOptional: true }],
    ["tags:string[]", { name: "tags", type: "string[]", isOptional: false }],
    ["sizes:integer[]?", { name: "sizes", type: "integer[]", isOptional: true }],
    ["sites:url[]", { name: "sites", type: "url[]", isOptional: false }],
    ["live:boolean=true", { name: "live", type: "boolean", isOptional: false, default: true }],
    ["n:integer(-5..)=-5", { name: "n", type: "integer", min: -5, isOptional: false, default: -5 }],
    ["n:number=1e-7", { name: "n", type: "number", isOptional: false, default: 1e-7 }],
    ["kind:enum(a|b)=b", { name: "kind", type: "enum", values: ["a", "b"], isOptional: false, default: "b" }],
    ["note:string=", { name: "note", type: "string", isOptional: false, default: "" }],
    ["note:string=a b?=c", { name: "note", type: "string", isOptional: false, default: "a b?=c" }],
    ['note:string="it\'s, \\"x\\""', { name: "note", type: "string", isOptional: false, default: `it's, "x"` }],
    ["tags:string[]=[]", { name: "tags", type: "string[]", isOptional: false, default: [] }],
    ['tags:string[]=["a","b"]', { name: "tags", type: "string[]", isOptional: false, default: ["a", "b"] }],
    ["more:json={}", { name: "more", type: "json", isOptional: false, default: {} }],
    ["day:date=2024-02-29", { name: "day", type: "date", isOptional: false, default: "2024-02-29" }],
    ["site:url=http://a/?b,c", { name: "site", type: "url", isOptional: false, default: "http://a/?b,c" }],
    ['note:string="not unique"', { name: "note", type: "string", isOptional: false, default: "not unique" }],
    ["sku:string(1..50) unique", { name: "sku", type: "string", min: 1, max: 50, isOptional: false, isUnique: true }],
    ["key:uuid?   unique", { name: "key", type: "uuid", isOptional: true, isUnique: true }],
    ["note:string=not unique?", { name: "note", type: "string", isOptional: false, default: "not unique?" }],
    ["orderId:ref(order-lines)?", { name: "orderId", type: "ref", to: "order-lines", isOptional: true }],
    ...["date", "uuid", "email", "url", "json"].map((type): [string, object] => [
      `one:${type}`,
      { name: "one", type, isOptional: false },
    ]),
  ];
  for (const [written, field] of fields)
    test(`is read from ${written}, and can be written and read again`, () => {
      assert.deepEqual(parseField(written), field);
      assert.deepEqual(parseField(writeField(parseField(written))), field);
    });

  test("is read from every example that the help gives", () => {
    assert.equal(parseFields(fieldExamples).length, fieldExamples.length);
  });

  const faults: [string, string][] = [
    ["", "field_malformed"],
    ["name", "field_malformed"],
    ["name:", "field_malformed"],
    [":string", "field_name"],
    ["Name:string", "field_name"],
    ["unit_price:number", "field_name"],
    ["unit-price:number", "field_name"],
    ["1st:string", "field_name"],
    ["__proto__:string", "field_name"],
    ["größe:number", "field_name"],
    [`${"a".repeat(51)}:string`, "field_name"],
    ["id:string", "field_reserved"],
    ["createdAt:timestamp", "field_reserved"],
    ["iD:string", "field_reserved"],
    ["createdat:string", "field_reserved"],
    ["ctid:string", "field_reserved"],
    ["xmin:integer", "field_reserved"],
    ["tableoid:string?", "field_reserved"],
    ["name:string(9007199254740991..)", "field_malformed"],
    ["name:string(..1000001)", "field_malformed"],
    ["name:strng", "field_type"],
    ["name:String", "field_malformed"],
    ["name:string(5..1)", "field_malformed"],
    ["name:string(-1..5)", "field_malformed"],
    ["name:string(1.5..5)", "field_malformed"],
    ["name:string()", "field_malformed"],
    ["name:string(..)", "field_malformed"],
    ["name:string(a..b)", "field_malformed"],
    ["count:integer(min=0.5)", "field_malformed"],
    ["count:integer(max=99999999999999999999)", "field_malformed"],
    ["count:integer(max=1,min=0)", "field_malformed"],
    ["live:boolean(1..2)", "field_malformed"],
    ["day:date(1..2)", "field_malformed"],
    ["sizes:integer[](1..2)", "field_malformed"],
    ["sizes:integer(1..2)[]", "field_malformed"],
    ["more:json[]", "field_type"],
    ["kinds:enum[]", "field_type"],
    ["kinds:string[][]", "field_malformed"],
    ["orderId:ref", "field_malformed"],
    ["orderId:ref()", "field_malformed"],
    ["kind:enum", "field_malformed"],
    ["kind:enum()", "field_malformed"],
    ["kind:enum(a|a)", "field_malformed"],
    ["kind:enum(a b)", "field_malformed"],
    ["kind:enum(a|)", "field_malformed"],
  ];
  for (const [written, code] of faults)
    test(`"${written}" is refused as ${code}`, () => {
      assert.throws(
        () => parseField(written),
        (error) => error instanceof Fault && error.code === code,
      );
    });

  const defaults = [
    "live:boolean=yes",
    "live:boolean=",
    'live:boolean="true"',
    "n:integer=1.5",
    "n:integer(1..5)=6",
    "n:integer=9007199254740993",
    "n:number=NaN",
    "n:number(..0)=0.5",
    "note:string(..3)=long",
    "note:string(1..)=",
    'note:string="\\u0000"',
    'note:string="unended',
    "kind:enum(a|b)=c",
    "day:date=2026-02-29",
    "due:timestamp=2026-01-31",
    "key:uuid=x",
    "contact:email=x",
    "site:url=x",
    "more:json={",
    'more:json={"a":1}',
    "tags:string[]=x",
    "tags:string[]=[5]",
    "sizes:integer[]=[1.5]",
    "price:number?=5",
    "orderId:ref(orders)=01a1dfb5-23f9-7600-89d4-567e85082e75",
  ];
  for (const written of defaults)
    test(`"${written}" is refused: the default breaks a rule`, () => {
      assert.throws(
        () => parseField(written),
        (error) => error instanceof Fault && error.code === "field_default",
      );
    });

  for (const written of [
    "live:boolean unique",
    "kind:enum(a|b) unique",
    "more:json unique",
    "tags:string[] unique",
    "note:string unique",
    "note:string(..801) unique",
    "note:string(..1) unique",
    "n:integer(1..2000) unique",
    "n:integer=5 unique",
    "orderId:ref(orders) unique",
  ])
    test(`"${written}" is refused as field_unique`, () => {
      assert.throws(
        () => parseField(written),
        (error) => error instanceof Fault && error.code === "field_unique",
      );
    });

  const named = { "date-time": "timestamp", date: "date", uuid: "uuid", email: "email", uri: "url" };
  for (const [format, type] of Object.entries(named))
    test(`of type ${type} accepts as default what the suite says it accepts, and nothing else`, () => {
      const { good = [], bad = [] } = formats[format] ?? {};
      assert.ok(good.length > 3 && bad.length > 3);
      for (const value of good) assert.equal(parseField(`a:${type}=${JSON.stringify(value)}`).default, value);
      for (const value of bad) assert.throws(() => parseField(`a:${type}=${JSON.stringify(value)}`), Fault, value);
    });

  test("is refused when another one has its name, in any case", () => {
    for (const fields of [
      ["a:string", "a:number"],
      ["userId:string", "userID:string"],
    ])
      assert.throws(
        () => parseFields(fields),
        (error) => error instanceof Fault && error.code === "field_repeated",
      );
  });

  test("of an unknown type is refused with the one that was probably meant", () => {
    assert.throws(() => parseField("name:bolean"), /Did you mean boolean\?/);
  });
});
