import { choices, Fault } from "../fault.ts";

/** One field of an item, as it was declared: `price:number(min=0)?`. */
export type Field = { name: string; isOptional: boolean } & (
  | { type: "string"; min?: number; max?: number }
  | { type: "number" | "integer"; min?: number; max?: number }
  | { type: "boolean" | "timestamp" | "string[]" }
  | { type: "enum"; values: string[] }
);

export const fieldTypes = ["string", "number", "integer", "boolean", "timestamp", "enum", "string[]"] as const;

export const fieldExamples = [
  "name:string(1..200)",
  "price:number(min=0)?",
  "count:integer(0..100)",
  "live:boolean",
  "due:timestamp",
  "kind:enum(a|b|c)",
  "tags:string[]",
];

export const defaultFields: Field[] = [{ name: "name", type: "string", min: 1, max: 200, isOptional: false }];

/** Reads a field from how it is written on the command line. */
export function parseField(written: string): Field {
  const match = /^([^:]*):([a-z]+(?:\[\])?)(?:\((.*)\))?(\?)?$/s.exec(written);
  if (!match) throw wrong(written, `write it like ${fieldExamples.join(", ")}`);
  const [, name = "", type = "", bounds, optional] = match;
  checkName(name, written);
  return { name, isOptional: optional === "?", ...typeOf(type, bounds, written) } as Field;
}

/** Reads all fields of an item: their names must differ, also where upper and lower case do not count. */
export function parseFields(written: readonly string[]): Field[] {
  const fields = written.map(parseField);
  const seen = new Map<string, string>();
  for (const { name } of fields) {
    const twin = seen.get(name.toLowerCase());
    if (twin === name) throw new Fault("field_repeated", `The field "${name}" is declared twice. Declare it once.`);
    if (twin)
      throw new Fault(
        "field_repeated",
        `The fields "${twin}" and "${name}" differ only in case, which SQLite ignores. Rename one.`,
      );
    seen.set(name.toLowerCase(), name);
  }
  return fields;
}

/** Writes a field as it is read. */
export function writeField(field: Field): string {
  return `${field.name}:${field.type}${writeBounds(field)}${field.isOptional ? "?" : ""}`;
}

function writeBounds(field: Field): string {
  if (field.type === "enum") return `(${field.values.join("|")})`;
  if (!("min" in field || "max" in field)) return "";
  return `(${field.min ?? ""}..${field.max ?? ""})`;
}

function checkName(name: string, written: string): void {
  // SQLite takes names that differ in case alone for the same.
  const taken = ["id", "createdAt"].find((own) => own.toLowerCase() === name.toLowerCase());
  if (taken)
    throw new Fault("field_reserved", `Every item has "${taken}" already. Give the field "${written}" another name.`);
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
    throw new Fault("field_name", `"${name}" is not a camelCase name. Use letters and digits, like unitPrice.`);
  if (name.length > 50)
    throw new Fault("field_name", `The field name "${name}" is too long. Use at most 50 characters.`);
}

function typeOf(type: string, bounds: string | undefined, written: string): object {
  switch (type) {
    case "string":
      return { type, ...range(bounds, written, { isWhole: true, least: 0, most: 1_000_000 }) };
    case "number":
      return { type, ...range(bounds, written, { isWhole: false, least: Number.NEGATIVE_INFINITY }) };
    case "integer":
      return { type, ...range(bounds, written, { isWhole: true, least: Number.MIN_SAFE_INTEGER }) };
    case "enum":
      return { type, values: enumValues(bounds, written) };
    case "boolean":
    case "timestamp":
    case "string[]":
      if (bounds !== undefined) throw wrong(written, `${type} takes no bounds`);
      return { type };
    default:
      throw new Fault("field_type", `In "${written}": ${choices("field type", type, fieldTypes)}`);
  }
}

/** Bounds are written `1..200`, `..200`, `1..` or `min=1,max=200`. */
function range(
  bounds: string | undefined,
  written: string,
  { isWhole, least, most = Number.POSITIVE_INFINITY }: { isWhole: boolean; least: number; most?: number },
) {
  if (bounds === undefined) return {};
  const number = String.raw`-?\d+(?:\.\d+)?`;
  const dots = new RegExp(`^(${number})?\\.\\.(${number})?$`).exec(bounds);
  const names = new RegExp(`^(?:min=(${number}))?(?:,(?=max)|(?=max)|$)(?:max=(${number}))?$`).exec(bounds);
  const [, low, high] = dots ?? names ?? [];
  if (low === undefined && high === undefined) throw wrong(written, "write bounds like (1..200) or (min=0)");
  const [min, max] = [low, high].map((bound) => (bound === undefined ? undefined : Number(bound)));
  for (const bound of [min, max]) {
    if (bound === undefined) continue;
    if (isWhole && !Number.isSafeInteger(bound)) throw wrong(written, `the bound ${bound} must be a whole number`);
    if (bound < least) throw wrong(written, `the bound ${bound} must be at least ${least}`);
    if (bound > most) throw wrong(written, `the bound ${bound} must be at most ${most}`);
  }
  if (min !== undefined && max !== undefined && min > max)
    throw wrong(written, `no value is at least ${min} and at most ${max}`);
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function enumValues(bounds: string | undefined, written: string): string[] {
  const values = bounds?.split("|") ?? [];
  if (values.length === 0 || values.some((value) => !/^[\w-]{1,50}$/.test(value)))
    throw wrong(written, "write the values like enum(small|medium|large), of letters, digits, _ and -");
  if (new Set(values).size < values.length) throw wrong(written, "a value stands there twice");
  return values;
}

function wrong(written: string, what: string): Fault {
  return new Fault("field_malformed", `The field "${written}" cannot be read: ${what}.`);
}
