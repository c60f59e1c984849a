import type { Default, Field } from "./field-types.ts";

/** Reads the default of a field; undefined if the field does not accept it. */
export function readDefault(field: Field, written: string): Default | undefined {
  const value = isText(field) && !written.startsWith('"') ? written : parsed(written);
  return fits(field, value) ? (value as Default) : undefined;
}

/** Writes a default in the form that `readDefault` reads. */
export function writeDefault(value: Default): string {
  return typeof value === "string" && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}

const isText = ({ type }: Field) => !["number", "integer", "boolean", "json"].includes(type) && !type.endsWith("[]");

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** The rules of a field, as in a project. Not with the project's validation library, to keep the tool small. */
function fits(field: Field, value: unknown): boolean {
  switch (field.type) {
    case "string":
      return isStorable(value) && isWithin(field, value.length);
    case "number":
      return Number.isFinite(value) && isWithin(field, value as number);
    case "integer":
      return Number.isSafeInteger(value) && isWithin(field, value as number);
    case "boolean":
      return typeof value === "boolean";
    case "enum":
      return field.values.includes(value as string);
    case "ref":
      return false;
    case "json":
      return ["{}", "[]"].includes(JSON.stringify(value));
    case "timestamp":
    case "date":
    case "url":
    case "uuid":
    case "email":
      return typeof value === "string" && patterns[field.type].test(value) && isReal(field.type, value);
    default: {
      const element = { ...field, type: field.type.slice(0, -2) } as Field;
      return Array.isArray(value) && value.every((one) => fits(element, one));
    }
  }
}

const patterns = {
  timestamp: /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  email: /^(?=.{1,254}$)[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i,
  url: /^(?=.{1,2048}$)https?:\/\/(?![/?#])([\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i,
};

/** Patterns also accept impossible dates and invalid hosts. */
function isReal(type: keyof typeof patterns, value: string): boolean {
  if (type === "url") return URL.canParse(value);
  if (type !== "date" && type !== "timestamp") return true;
  const midnight = new Date(`${value.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(midnight.valueOf()) && midnight.toISOString().startsWith(value.slice(0, 10));
}

function isStorable(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}

function isWithin({ min = -Infinity, max = Infinity }: { min?: number; max?: number }, value: number): boolean {
  return min <= value && value <= max;
}
