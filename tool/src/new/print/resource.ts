import { lineWidth } from "../../../../backend/kit/openapi/json.ts";
import type { Default, Field, ListedType, ListType } from "../field-types.ts";
import type { Names } from "../names.ts";

/** The text of `src/items/item.ts`, or of another resource, for these fields, formatted as by Biome. */
export function printResource({ plural, variables, types, words }: Names, fields: Field[]): string {
  const [[items], [, Item]] = [variables, types];
  const helpers = [...new Set(fields.flatMap((field) => helperOf(field) ?? []))].sort();
  const properties = fields.map((field) => `  ${printProperty(field)}\n`).join("");
  const valibot = /\bv\./.test(properties) ? 'import * as v from "valibot";\n' : "";
  return `import type { StandardSchemaV1 } from "@standard-schema/spec";
${valibot}${helpers.map((helper) => `import { ${helper} } from "../core/fields/${helper}.ts";\n`).join("")}import { exactly, type Resource } from "../core/resource.ts";

/** What a client sends: these fields and no others. */
export const New${Item} = exactly({
${properties}});

export type New${Item} = StandardSchemaV1.InferOutput<typeof New${Item}>;

/** Where ${words} are kept: a column for each field. */
export const ${items}: Resource<New${Item}> = {
  name: "${plural}",
  title: "${Item}",
  schema: New${Item},
  columns: {
${fields.map((field) => `    ${printColumn(field)}\n`).join("")}  },
${printUnique(fields)}${printReferences(fields)}};
`;
}

function printUnique(fields: Field[]): string {
  const unique = fields.filter(({ isUnique }) => isUnique).map(({ name }) => name);
  return unique.length > 0 ? `  unique: ${layOut(list(unique), 2, "unique: ,".length)},\n` : "";
}

function printReferences(fields: Field[]): string {
  const parts = fields.flatMap((field) => (field.type === "ref" ? [`${field.name}: ${quote(field.to)}`] : []));
  const code = { open: "{ ", parts, close: " }" };
  return parts.length > 0 ? `  references: ${layOut(code, 2, "references: ,".length)},\n` : "";
}

/** The schema in `src/core/fields` that a field uses. */
export function helperOf({ type }: Field): string | undefined {
  return helpers[type.replace("[]", "")];
}

const helpers: Record<string, string> = {
  string: "text",
  timestamp: "timestamp",
  date: "date",
  url: "url",
  json: "json",
  ref: "reference",
};

/** One line if it fits, otherwise one per argument, nested if needed. */
function printProperty(field: Field): string {
  const isWanted = !field.isOptional && field.default === undefined;
  const values = field.default === undefined ? [] : [literal(field.default)];
  const schema = isWanted ? schemaOf(field) : call("v.optional", schemaOf(field), ...values);
  return `${field.name}: ${layOut(schema, 2, `${field.name}: ,`.length)},`;
}

/** A long text gets a separate line, unless the name is so short that this saves nothing. */
function printColumn(field: Field): string {
  const line = `${field.name}: ${quote(columnOf(field))},`;
  return line.length + 4 <= lineWidth || field.name.length < 5 ? line : line.replace(": ", ":\n      ");
}

/** Code that breaks into one line per part if it does not fit. */
type Code = string | { open: string; parts: Code[]; close: string };

const call = (name: string, ...parts: Code[]): Code => ({ open: `${name}(`, parts, close: ")" });
const list = (values: Default[]): Code => ({ open: "[", parts: values.map(literal), close: "]" });

function literal(value: Default): Code {
  if (Array.isArray(value)) return list(value);
  return typeof value === "string" ? quote(value) : JSON.stringify(value);
}

/** In the quotes that the formatter chooses: those that the text contains less often. */
function quote(text: string): string {
  const count = (mark: string) => text.split(mark).length;
  const inDouble = JSON.stringify(text);
  if (count('"') <= count("'")) return inDouble;
  return `'${inDouble.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function layOut(code: Code, indent: number, taken: number): string {
  const flat = flatten(code);
  if (typeof code === "string" || indent + taken + flat.length <= lineWidth) return flat;
  const [outer, inner] = [" ".repeat(indent), " ".repeat(indent + 2)];
  const lines = code.parts.map((part) => `${inner}${layOut(part, indent + 2, 1)},\n`);
  return `${code.open.trimEnd()}\n${lines.join("")}${outer}${code.close.trimStart()}`;
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
    case "date":
    case "url":
    case "json":
      return field.type;
    case "ref":
      return "reference";
    case "uuid":
      return piped(call("v.string", quote("must be a string")), call("v.uuid", quote("must be a UUID")));
    case "email":
      return piped(
        call("v.string", quote("must be a string")),
        call("v.rfcEmail", quote("must be an email address")),
        ...lengths({ max: 254 }),
      );
    case "enum":
      return call("v.picklist", list(field.values), quote(`must be one of ${field.values.join(", ")}`));
    default:
      return call("v.array", schemaOf(elementOf(field)), quote(`must be a list of ${listed[typeIn(field)]}`));
  }
}

type List = Field & { type: ListType };

/** The element of a list, as a field. */
export function elementOf(field: List): Field {
  return { name: field.name, isOptional: false, type: typeIn(field) };
}

const typeIn = ({ type }: List) => type.slice(0, -2) as ListedType;

const listed: Record<ListedType, string> = {
  string: "strings",
  number: "numbers",
  integer: "whole numbers",
  boolean: "true and false",
  timestamp: "dates and times",
  date: "dates",
  uuid: "UUIDs",
  email: "email addresses",
  url: "URLs",
};

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

const sqlTypes: Record<string, string> = {
  number: "double precision",
  integer: "bigint",
  boolean: "boolean",
  json: "json",
  ref: "uuid",
};

/** The SQL column of a field. */
export function columnOf({ type, isOptional, default: value }: Field): string {
  const sqlType = type.endsWith("[]") ? "json" : (sqlTypes[type] ?? "text");
  const required = isOptional ? "" : " NOT NULL";
  return `${sqlType}${required}${value === undefined ? "" : ` DEFAULT ${sqlLiteral(value)}`}`;
}

function sqlLiteral(value: Default): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return `'${(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("'", "''")}'`;
}
