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

/** Reads a field as it is given on the command line. */
export function parseField(text: string): Field {
  const match = /^([^:]*):([a-z]+(?:\[\])?)(?:\((.*)\))?(\?)?$/s.exec(text);
  if (!match) throw wrong(text, `write it like ${fieldExamples.join(", ")}`);
  const [, name = "", type = "", bounds, optional] = match;
  checkName(name, text);
  return { name, isOptional: optional === "?", ...typeOf(type, bounds, text) } as Field;
}

/** Reads all fields of an item: their names must differ, also where upper and lower case do not count. */
export function parseFields(texts: readonly string[]): Field[] {
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

/** Writes a field as it is read. */
export function writeField(field: Field): string {
  return `${field.name}:${field.type}${writeBounds(field)}${field.isOptional ? "?" : ""}`;
}

function writeBounds(field: Field): string {
  if (field.type === "enum") return `(${field.values.join("|")})`;
  if (!("min" in field || "max" in field)) return "";
  return `(${field.min ?? ""}..${field.max ?? ""})`;
}

function checkName(name: string, text: string): void {
  // To SQLite, names that differ only in case are the same.
  const taken = ["id", "createdAt"].find((own) => own.toLowerCase() === name.toLowerCase());
  if (taken)
    throw new Fault("field_reserved", `Every item has "${taken}" already. Give the field "${text}" another name.`);
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
    throw new Fault("field_name", `"${name}" is not a camelCase name. Use letters and digits, like unitPrice.`);
  if (name.length > 50)
    throw new Fault("field_name", `The field name "${name}" is too long. Use at most 50 characters.`);
}

function typeOf(type: string, bounds: string | undefined, text: string): object {
  switch (type) {
    case "string":
      return { type, ...range(bounds, text, { isWhole: true, least: 0, most: 1_000_000 }) };
    case "number":
      return { type, ...range(bounds, text, { isWhole: false, least: Number.NEGATIVE_INFINITY }) };
    case "integer":
      return { type, ...range(bounds, text, { isWhole: true, least: Number.MIN_SAFE_INTEGER }) };
    case "enum":
      return { type, values: enumValues(bounds, text) };
    case "boolean":
    case "timestamp":
    case "string[]":
      if (bounds !== undefined) throw wrong(text, `${type} takes no bounds`);
      return { type };
    default:
      throw new Fault("field_type", `In "${text}": ${choices("field type", type, fieldTypes)}`);
  }
}

/** Bounds are written `1..200`, `..200`, `1..` or `min=1,max=200`. */
function range(
  bounds: string | undefined,
  text: string,
  { isWhole, least, most = Number.POSITIVE_INFINITY }: { isWhole: boolean; least: number; most?: number },
) {
  if (bounds === undefined) return {};
  const number = String.raw`-?\d+(?:\.\d+)?`;
  const dots = new RegExp(`^(${number})?\\.\\.(${number})?$`).exec(bounds);
  const names = new RegExp(`^(?:min=(${number}))?(?:,(?=max)|(?=max)|$)(?:max=(${number}))?$`).exec(bounds);
  const [, low, high] = dots ?? names ?? [];
  if (low === undefined && high === undefined) throw wrong(text, "write bounds like (1..200) or (min=0)");
  const [min, max] = [low, high].map((bound) => (bound === undefined ? undefined : Number(bound)));
  for (const bound of [min, max]) {
    if (bound === undefined) continue;
    if (isWhole && !Number.isSafeInteger(bound)) throw wrong(text, `the bound ${bound} must be a whole number`);
    if (bound < least) throw wrong(text, `the bound ${bound} must be at least ${least}`);
    if (bound > most) throw wrong(text, `the bound ${bound} must be at most ${most}`);
  }
  if (min !== undefined && max !== undefined && min > max)
    throw wrong(text, `no value is at least ${min} and at most ${max}`);
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function enumValues(bounds: string | undefined, text: string): string[] {
  const values = bounds?.split("|") ?? [];
  if (values.length === 0 || values.some((value) => !/^[\w-]{1,50}$/.test(value)))
    throw wrong(text, "write the values like enum(small|medium|large), of letters, digits, _ and -");
  if (new Set(values).size < values.length) throw wrong(text, "a value is repeated");
  return values;
}

function wrong(text: string, what: string): Fault {
  return new Fault("field_malformed", `The field "${text}" cannot be read: ${what}.`);
}
