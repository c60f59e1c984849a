import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Fault } from "../src/fault.ts";
import { fieldExamples, parseField, parseFields, writeField } from "../src/new/field.ts";

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

  test("is refused when another one has its name, whatever the case", () => {
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
