import { lineWidth } from "../../../../backend/openapi/json.ts";
import type { Field } from "../field.ts";

/** The text of `src/items/item.ts` for these fields, formatted as the linter wants it. */
export function printItem(fields: Field[]): string {
  const helpers = ["text", "timestamp"].filter((helper) => fields.some((field) => helperOf(field) === helper));
  return `import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
${helpers.map((helper) => `import { ${helper} } from "../fields/${helper}.ts";\n`).join("")}import { exactly, type Resource } from "../resource.ts";

/** What a client sends: these fields and no others. */
export const NewItem = exactly({
${fields.map((field) => `  ${printProperty(field)}\n`).join("")}});

export type NewItem = StandardSchemaV1.InferOutput<typeof NewItem>;

/** Where items are kept: a column for each field. */
export const items: Resource<NewItem> = {
  name: "items",
  title: "Item",
  schema: NewItem,
  columns: {
${fields.map((field) => `    ${field.name}: "${columnOf(field)}",\n`).join("")}  },
};
`;
}

/** The schema of ours that a field is made of. */
export function helperOf({ type }: Field): string | undefined {
  return { string: "text", "string[]": "text", timestamp: "timestamp" }[type as string];
}

/** One line if it fits, else one for each argument, nested as needed. */
function printProperty(field: Field): string {
  const schema = field.isOptional ? call("v.optional", schemaOf(field)) : schemaOf(field);
  return `${field.name}: ${layOut(schema, 2, `${field.name}: ,`.length)},`;
}

/** Code that breaks into a line for each part where it does not fit. */
type Code = string | { open: string; parts: Code[]; close: string };

const call = (name: string, ...parts: Code[]): Code => ({ open: `${name}(`, parts, close: ")" });
const list = (values: string[]): Code => ({ open: "[", parts: values.map(quote), close: "]" });
const quote = (text: string) => JSON.stringify(text);

function layOut(code: Code, indent: number, taken: number): string {
  const flat = flatten(code);
  if (typeof code === "string" || indent + taken + flat.length <= lineWidth) return flat;
  const [outer, inner] = [" ".repeat(indent), " ".repeat(indent + 2)];
  const lines = code.parts.map((part) => `${inner}${layOut(part, indent + 2, 1)},\n`);
  return `${code.open}\n${lines.join("")}${outer}${code.close}`;
}

function flatten(code: Code): string {
  return typeof code === "string" ? code : `${code.open}${code.parts.map(flatten).join(", ")}${code.close}`;
}

function schemaOf(field: Field): Code {
  switch (field.type) {
    case "string":
      return piped("text", ...lengths(field));
    case "number":
      return piped(
        call("v.number", quote("must be a number")),
        call("v.finite", quote("must be finite")),
        ...bounds(field),
      );
    case "integer":
      return piped(
        call("v.number", quote("must be a number")),
        call("v.safeInteger", quote("must be a whole number")),
        ...bounds(field),
      );
    case "boolean":
      return call("v.boolean", quote("must be true or false"));
    case "timestamp":
      return "timestamp";
    case "string[]":
      return call("v.array", "text", quote("must be a list of strings"));
    case "enum":
      return call("v.picklist", list(field.values), quote(`must be one of ${field.values.join(", ")}`));
  }
}

/** The schema of a field, on one line. */
export function schemaText(field: Field): string {
  return flatten(schemaOf(field));
}

function piped(first: Code, ...actions: Code[]): Code {
  return actions.length === 0 ? first : call("v.pipe", first, ...actions);
}

function lengths({ min = 0, max }: { min?: number; max?: number }): Code[] {
  const characters = (count: number) => (count === 1 ? "1 character" : `${count} characters`);
  const atLeast = min === 1 ? "must not be empty" : `must have at least ${characters(min)}`;
  return [
    ...(min > 0 ? [call("v.minLength", String(min), quote(atLeast))] : []),
    ...(max === undefined ? [] : [call("v.maxLength", String(max), quote(`must have at most ${characters(max)}`))]),
  ];
}

function bounds({ min, max }: { min?: number; max?: number }): Code[] {
  return [
    ...(min === undefined ? [] : [call("v.minValue", String(min), quote(`must be at least ${min}`))]),
    ...(max === undefined ? [] : [call("v.maxValue", String(max), quote(`must be at most ${max}`))]),
  ];
}

const sqlTypes: Record<Field["type"], string> = {
  string: "text",
  number: "double precision",
  integer: "bigint",
  boolean: "boolean",
  timestamp: "text",
  enum: "text",
  "string[]": "json",
};

/** The column that keeps a field. */
export function columnOf({ type, isOptional }: Field): string {
  return isOptional ? sqlTypes[type] : `${sqlTypes[type]} NOT NULL`;
}
