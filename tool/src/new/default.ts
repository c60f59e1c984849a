import type { StandardSchemaV1 } from "@standard-schema/spec";
import { buildField } from "./builders.ts";
import type { Default, Field } from "./field-types.ts";

/** Reads the default of a field; undefined if the field does not accept it. */
export function readDefault(field: Field, written: string): Default | undefined {
  const { schema, column } = buildField(field);
  const value = column.type === "text" && !written.startsWith('"') ? written : parseJson(written);
  return isAccepted(field, schema, value) ? (value as Default) : undefined;
}

/** Writes a default in the form that `readDefault` reads. */
export function writeDefault(value: Default): string {
  return typeof value === "string" && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}

function parseJson(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

/** Whether a field has a value as its default, by the schema that a project has for it. */
function isAccepted({ type }: Field, schema: StandardSchemaV1, value: unknown): boolean {
  if (type === "ref") return false;
  if (type === "json") return ["{}", "[]"].includes(JSON.stringify(value));
  const result = schema["~standard"].validate(value);
  return !("then" in result) && !result.issues;
}
