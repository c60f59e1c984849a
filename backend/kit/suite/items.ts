import { randomUUID } from "node:crypto";
import { formats } from "./formats.ts";
import type { FieldSchema, ItemSchema } from "./schema.ts";
import { isUnique, uniqueValue, uniqueValues } from "./unique/values.ts";

/** A valid item, as different from others as its fields allow. */
export function validItem({ properties, examples }: ItemSchema): Record<string, unknown> {
  const pick = (name: string, field: FieldSchema) =>
    isKnown(field) ? sample(field) : (findExample(field) ?? examples[0]?.[name]);
  const item = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, pick(name, field)]));
  Object.assign(item, uniqueValues(properties));
  return item;
}

/** A valid item whose body is as large as one of its fields allows. */
export function largeItem(schema: ItemSchema, bytes: number): Record<string, unknown> {
  const item = validItem(schema);
  const free = bytes - JSON.stringify(item).length - 100;
  const larger = Object.entries(schema.properties).map(([name, field]) => ({ ...item, [name]: largest(field, free) }));
  return larger.reduce((one, other) => (JSON.stringify(other).length > JSON.stringify(one).length ? other : one), item);
}

/** Undefined for a field that cannot be large. */
function largest(field: FieldSchema, length: number): unknown {
  if (!isKnown(field) || field.enum || field.format) return undefined;
  if (field.type === "array") return field.items?.type === "string" ? [largest(field.items, length)] : undefined;
  const isText = field.type === "string" || isAny(field);
  return isText ? "x".repeat(Math.min(length, field.maxLength ?? length)) : undefined;
}

/** Valid values of a field: its bounds, and values that are often confused. */
export function goodValues(field: FieldSchema): unknown[] {
  const { minimum = -1e6, maximum = 1e6, minLength = 0, maxLength = 300 } = field;
  if (isUnique(field)) return [uniqueValue(field) ?? sample(field)];
  if (!isKnown(field)) return [findExample(field)].filter((value) => value !== undefined);
  if (field.enum) return field.enum;
  if (field.format) return formats[field.format]?.good ?? [];
  if (isAny(field)) return [...anyValues, nested(100)];
  switch (field.type) {
    case "string":
      return ["x".repeat(minLength), "x".repeat(maxLength), ...oddTexts].filter((text) => isWithin(field, text));
    case "number":
      return [minimum, maximum, (minimum + maximum) / 2, 0, -0, 5, 0.1, 1e-7, 123456.789, 1 / 3].filter((n) =>
        isWithin(field, n),
      );
    case "integer":
      return [minimum, maximum, 0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].filter((n) =>
        isWithin(field, n),
      );
    case "boolean":
      return [true, false];
    case "array":
      return goodLists(field.items);
    default:
      return [];
  }
}

/** JSON texts of invalid values of a field, each with the position of the fault. */
export function badValues(field: FieldSchema): [json: string, below: string][] {
  const whole = (...values: unknown[]) => values.map((value): [string, string] => [JSON.stringify(value), ""]);
  const raw = (...texts: string[]) => texts.map((text): [string, string] => [text, ""]);
  if (!isKnown(field)) return [];
  if (field.enum)
    return whole("no such value", field.enum[0]?.toUpperCase().concat(" "), "", 5, true, null, field.enum);
  if (field.format) {
    const { bad = [], good: [one = ""] = [] } = formats[field.format] ?? {};
    const tooLong = field.maxLength === undefined ? [] : [`${one}/`.padEnd(field.maxLength + 1, "x")];
    return [...whole(...bad, ...tooLong, 0, Date.now(), true, null, [], [one], {}), ...raw('"\\u0000"', '"\\ud800"')];
  }
  if (isAny(field)) return [...raw(...unstorableValues), ...whole(nested(101))];
  switch (field.type) {
    case "string":
      return [
        ...whole(5, 0, true, false, null, [], ["x"], {}, [[[]]], ...wrongLengths(field)),
        ...raw(...unstorableTexts),
      ];
    case "number":
      return [...whole("5", "", true, null, [], {}, ...beyond(field, 0.5)), ...raw("1e309", "-1e309")];
    case "integer":
      return [
        ...whole("5", 1.5, true, null, [5], {}, ...beyond(field, 1)),
        ...raw("1e309", "9007199254740993", "1e-1"),
      ];
    case "boolean":
      return whole(0, 1, "true", "false", "", null, [], {});
    case "array":
      return [...whole("x", 5, true, null, {}, { 0: "x" }), ...badLists(field.items)];
    default:
      return [];
  }
}

function goodLists(of: FieldSchema = {}): unknown[] {
  const values = goodValues(of);
  return [[], values, [...values].reverse(), Array.from({ length: 500 }, () => sample(of))];
}

/** Each fault of an element, alone or after a valid one. */
function badLists(of: FieldSchema = {}): [json: string, below: string][] {
  const [first] = goodValues(of);
  return badValues(of).map(([json, below], index) =>
    index % 2 === 0 ? [`[${json}]`, `/0${below}`] : [`[${JSON.stringify(first)},${json}]`, `/1${below}`],
  );
}

/** The keywords for which values can be generated. For a field with others, the document needs an example. */
const known = ["type", "minLength", "maxLength", "minimum", "maximum", "format", "enum", "items"];
const silent = ["title", "description", "example", "examples", "default", "deprecated", "x-unique", "x-references"];

function isKnown(field: FieldSchema): boolean {
  const { pattern: _, ...others } = field as FieldSchema & { pattern?: string };
  // With a format, a pattern only makes it more exact.
  const rest = field.format === undefined ? field : others;
  const isPlain = Object.keys(rest).every((keyword) => known.includes(keyword) || silent.includes(keyword));
  const isOfKnown = field.type !== "array" || (field.items !== undefined && isKnown(field.items));
  const isTyped = !Array.isArray(field.type) || isAny(field);
  return isPlain && isOfKnown && isTyped && (field.format === undefined || Object.hasOwn(formats, field.format));
}

/** Whether a field accepts any JSON value. */
function isAny({ type }: FieldSchema): boolean {
  return Array.isArray(type) && jsonTypes.every((one) => type.includes(one));
}

const jsonTypes = ["object", "array", "string", "number", "boolean", "null"];

function findExample({ example, examples }: FieldSchema): unknown {
  return example ?? examples?.[0];
}

function sample(field: FieldSchema): unknown {
  const { minimum = 0, maximum = minimum + 1000, minLength = 0, maxLength = 36 } = field;
  if (field.enum) return field.enum[Math.floor(Math.random() * field.enum.length)];
  if (field.format) return formats[field.format]?.sample();
  if (isAny(field)) return { key: randomUUID(), within: [Math.random(), null, { deeper: null }] };
  switch (field.type) {
    case "string":
      return randomUUID().slice(0, maxLength).padEnd(minLength, "x");
    case "number":
      return minimum + Math.random() * (maximum - minimum);
    case "integer":
      return minimum + Math.floor(Math.random() * (maximum - minimum + 1));
    case "boolean":
      return Math.random() < 0.5;
    case "array":
      return [sample(field.items ?? {}), sample(field.items ?? {})];
    default:
      return undefined;
  }
}

function isWithin(
  {
    minLength = 0,
    maxLength = 1e9,
    minimum = Number.NEGATIVE_INFINITY,
    maximum = Number.POSITIVE_INFINITY,
  }: FieldSchema,
  value: string | number,
) {
  if (typeof value === "string") return value.length >= minLength && value.length <= maxLength;
  return value >= minimum && value <= maximum;
}

function wrongLengths({ minLength = 0, maxLength }: FieldSchema): string[] {
  const tooShort = minLength > 0 ? ["x".repeat(minLength - 1)] : [];
  return maxLength === undefined
    ? tooShort
    : [...tooShort, "x".repeat(maxLength + 1), `${"😀".repeat(maxLength / 2)}xx`];
}

function beyond({ minimum, maximum }: FieldSchema, step: number): number[] {
  return [...(minimum === undefined ? [] : [minimum - step]), ...(maximum === undefined ? [] : [maximum + step])];
}

/** Text that is often lost, changed or misread on its way into a database and back. */
const oddTexts = [
  " leading and trailing \t\n ",
  "\u0001\u0002\b\f\r\n\t\u001f\u007f\u0080\u009f",
  "\"quotes\" 'single' `back` \\backslash\\ /slash/ \\u0041 \\n",
  "'; DROP TABLE items; --",
  "%s %d %n $name {{name}} $1 ? :name @name",
  "<script>alert(1)</script>&amp;&#0;",
  "null",
  "undefined",
  "NaN",
  "5",
  "1e309",
  "true",
  "[object Object]",
  '{"name":"x"}',
  "__proto__",
  "é \u00e9 e\u0301 \u212b \u00c5",
  "日本語 العربية עברית हिन्दी ไทย",
  "👩‍👩‍👧‍👦 🏳️‍🌈 \u{1f600}\u{10ffff}",
  "\u200b\u200c\u200d\u2060\ufeff\u00ad",
  "\u2028\u2029\u0085",
  "\u202e right to left \u202c",
  "\ufffd\ufffe\uffff\ufdd0",
  "ß ﬀ İ ı ǆ",
  "\ud83d\ude00".repeat(20),
];

/** JSON that is often lost, changed or misread on its way into a database and back. */
const anyValues = [
  null,
  true,
  false,
  0,
  -1.5,
  1e-7,
  Number.MAX_SAFE_INTEGER,
  "",
  "null",
  "5",
  '{"a":1}',
  [],
  {},
  [null, [null, [null]]],
  { a: null, b: { c: null, d: [{ e: null }] }, "": "", " ": 1, "a/b~c": "x", toString: 1 },
  JSON.parse('{"b":1,"a":2,"10":3,"9":4,"__proto__":{"x":1},"constructor":null}'),
  { texts: oddTexts, [oddTexts.join()]: true },
];

/** Lists within lists. */
function nested(depth: number): unknown {
  return JSON.parse("[".repeat(depth) + "]".repeat(depth));
}

/** JSON texts of values that some database, or JavaScript, does not keep unchanged. */
const unstorableValues = [
  "1e309",
  "[-1e309]",
  "9007199254740993",
  '{"a":[{"b":-9007199254740993}]}',
  '"\\u0000"',
  '{"a":["\\ud800"]}',
  '{"\\u0000":1}',
  '{"a":{"\\udfff":1}}',
];

/** JSON texts of strings that one of the two databases cannot keep. */
const unstorableTexts = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff"',
  '"\\ud800\\ud800"',
  '"\\udc00\\ud800"',
  '"x\\ud83d"',
  '"\\ude00x"',
];
