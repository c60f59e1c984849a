import { Fault, listChoices } from "../fault.ts";
import { fieldExamples } from "./choices.ts";
import { readDefault, writeDefault } from "./default.ts";
import { joinField, splitField } from "./field-parts.ts";
import { type Default, type Field, fieldTypes } from "./field-types.ts";
import { checkCount, checkLength } from "./limits.ts";

export type { Field } from "./field-types.ts";

export const defaultFields: Field[] = [{ name: "name", type: "string", min: 1, max: 200, isOptional: false }];

/** Reads a field in the form of the command line. */
export function parseField(text: string): Field {
  checkLength("field", text);
  const parts = splitField(text);
  if (!parts) throw malformedFault(text, `write it like ${fieldExamples.join(", ")}`);
  const { name, type, bounds, isOptional } = parts;
  checkName(name, text);
  const field = { name, isOptional, ...readType(type, bounds, text) } as Field;
  if (parts.default !== undefined) field.default = readFieldDefault(field, parts.default, text);
  if (parts.isUnique) field.isUnique = readUnique(field, text);
  return field;
}

/** PostgreSQL indexes only values up to a third of a page; and too few possible values would soon be used up. */
function readUnique(field: Field, text: string): true {
  const refuse = (why: string) => new Fault("field_unique", `In "${text}", the field cannot be unique: ${why}.`);
  if (field.default !== undefined) throw refuse("two items cannot both have its default");
  if (field.type === "string" && !(field.max !== undefined && field.max >= 2 && field.max <= 800))
    throw refuse("set its maximum length from 2 to 800 characters, like (1..50)");
  const { min = -Infinity, max = Infinity } = field.type === "integer" ? field : {};
  if (max - min < 2000) throw refuse("it has too few possible values");
  if (!uniqueTypes.includes(field.type)) throw refuse(`only these types can: ${uniqueTypes.join(", ")}`);
  return true;
}

export const uniqueTypes: string[] = ["string", "integer", "number", "uuid", "email", "url", "date", "timestamp"];

function readFieldDefault(field: Field, written: string, text: string): Default {
  const value = readDefault(field, written);
  if (value === undefined) throw new Fault("field_default", `In "${text}", the field does not accept its own default.`);
  if (field.isOptional)
    throw new Fault(
      "field_default",
      `In "${text}", leave out the question mark: a field with a default is always optional.`,
    );
  return value;
}

/** Reads all fields of an item: their names must differ in more than case. */
export function parseFields(texts: readonly string[]): Field[] {
  checkCount("fields", texts);
  const fields = texts.map(parseField);
  const names = new Map<string, string>();
  for (const { name } of fields) {
    const twin = names.get(name.toLowerCase());
    if (twin === name) throw new Fault("field_repeated", `The field "${name}" is declared twice. Declare it once.`);
    if (twin)
      throw new Fault(
        "field_repeated",
        `The fields "${twin}" and "${name}" differ only in case, which SQLite ignores. Rename one.`,
      );
    names.set(name.toLowerCase(), name);
  }
  return fields;
}

/** Writes a field in the form that `parseField` reads. */
export function writeField(field: Field): string {
  const { name, type, isOptional, isUnique = false } = field;
  const written = field.default === undefined ? undefined : writeDefault(field.default);
  return joinField({ name, type, bounds: writeBounds(field), isOptional, default: written, isUnique });
}

function writeBounds(field: Field): string | undefined {
  if (field.type === "enum") return field.values.join("|");
  if (field.type === "ref") return field.to;
  if (!("min" in field || "max" in field)) return undefined;
  return `${field.min ?? ""}..${field.max ?? ""}`;
}

/** https://www.postgresql.org/docs/current/ddl-system-columns.html */
const systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

function checkName(name: string, text: string): void {
  // SQLite ignores case in names.
  const taken = ["id", "createdAt"].find((own) => own.toLowerCase() === name.toLowerCase());
  if (taken)
    throw new Fault("field_reserved", `Every item has "${taken}" already. Give the field "${text}" another name.`);
  if (systemColumns.includes(name))
    throw new Fault("field_reserved", `PostgreSQL has a system column "${name}" in every table. Rename "${text}".`);
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
    throw new Fault("field_name", `"${name}" is not a camelCase name. Use letters and digits, like unitPrice.`);
  if (name.length > 50)
    throw new Fault("field_name", `The field name "${name}" is too long. Use at most 50 characters.`);
}

function readType(type: string, bounds: string | undefined, text: string): object {
  switch (type) {
    case "string":
      return { type, ...readRange(bounds, text, { isWhole: true, least: 0, most: 1_000_000 }) };
    case "number":
      return { type, ...readRange(bounds, text, { isWhole: false, least: Number.NEGATIVE_INFINITY }) };
    case "integer":
      return { type, ...readRange(bounds, text, { isWhole: true, least: Number.MIN_SAFE_INTEGER }) };
    case "enum":
      return { type, values: readEnumValues(bounds, text) };
    case "ref":
      if (!bounds) throw malformedFault(text, "name the resource that it refers to, like ref(orders)");
      return { type, to: bounds };
    default:
      if (!fieldTypes.some((one) => one === type))
        throw new Fault("field_type", `In "${text}": ${listChoices("field type", type, fieldTypes)}`);
      if (bounds !== undefined) throw malformedFault(text, `${type} takes no bounds`);
      return { type };
  }
}

/** Bounds are written `1..200`, `..200`, `1..` or `min=1,max=200`. */
function readRange(
  bounds: string | undefined,
  text: string,
  { isWhole, least, most = Number.POSITIVE_INFINITY }: { isWhole: boolean; least: number; most?: number },
) {
  if (bounds === undefined) return {};
  const number = String.raw`-?\d+(?:\.\d+)?`;
  const dots = new RegExp(`^(${number})?\\.\\.(${number})?$`).exec(bounds);
  const names = new RegExp(`^(?:min=(${number}))?(?:,(?=max)|(?=max)|$)(?:max=(${number}))?$`).exec(bounds);
  const [, low, high] = dots ?? names ?? [];
  if (low === undefined && high === undefined) throw malformedFault(text, "write bounds like (1..200) or (min=0)");
  const [min, max] = [low, high].map((bound) => (bound === undefined ? undefined : Number(bound)));
  for (const bound of [min, max]) {
    if (bound === undefined) continue;
    if (isWhole && !Number.isSafeInteger(bound))
      throw malformedFault(text, `the bound ${bound} must be a whole number`);
    if (bound < least) throw malformedFault(text, `the bound ${bound} must be at least ${least}`);
    if (bound > most) throw malformedFault(text, `the bound ${bound} must be at most ${most}`);
  }
  if (min !== undefined && max !== undefined && min > max)
    throw malformedFault(text, `no value is at least ${min} and at most ${max}`);
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function readEnumValues(bounds: string | undefined, text: string): string[] {
  const values = bounds?.split("|") ?? [];
  if (values.length === 0 || values.some((value) => !/^[\w-]{1,50}$/.test(value)))
    throw malformedFault(text, "write the values like enum(small|medium|large), of letters, digits, _ and -");
  if (new Set(values).size < values.length) throw malformedFault(text, "a value is repeated");
  return values;
}

function malformedFault(text: string, what: string): Fault {
  return new Fault("field_malformed", `The field "${text}" cannot be read: ${what}.`);
}
