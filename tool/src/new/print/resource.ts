import { lineWidth } from "../../../../backend/kit/openapi/json.ts";
import { type Builder, type Call, isCall, toCall } from "../builders.ts";
import type { Field } from "../field-types.ts";
import type { Names } from "../names.ts";

/** The text of `src/items/item.ts`, or of another resource, for these fields, formatted as by Biome. */
export function printResource({ plural, variables, types, words }: Names, fields: Field[]): string {
  const [[items], [, Item]] = [variables, types];
  const calls = fields.map((field) => [field.name, toCall(field)] as const);
  return `// The fields of ${words}, one line each: schema, columns, types and openapi.json follow from them.

${printImports(calls.flatMap(([, call]) => findBuilders(call)))}import { type Fields, resource } from "../core/resource.ts";

export const ${items} = resource("${plural}", "${Item}", {
${calls.map(([name, call]) => `  ${name}: ${layOut(toCode(call), 2, `${name}: ,`.length)},\n`).join("")}});

/** What a client sends. */
export const New${Item} = ${items}.schema;
export type New${Item} = Fields<typeof ${items}>;
`;
}

/** The call that makes a field, on one line. */
export function printField(field: Field): string {
  return flatten(toCode(toCall(field)));
}

/** The files in `src/core/fields` that fields need. */
export function listFieldFiles(field: Field): string[] {
  return findBuilders(toCall(field)).map(toFile);
}

function findBuilders({ builder, args }: Call): Builder[] {
  return [builder, ...args.filter(isCall).flatMap(findBuilders)];
}

const toFile = (builder: Builder) => files[builder] ?? builder;
const files: Partial<Record<Builder, string>> = { optional: "field", withDefault: "field" };

function printImports(builders: Builder[]): string {
  const all = [...new Set(builders)].sort();
  const lines = [...new Set(all.map(toFile))].sort().map((file) => {
    const names = all.filter((builder) => toFile(builder) === file);
    return `import { ${names.join(", ")} } from "../core/fields/${file}.ts";\n`;
  });
  return lines.join("");
}

function toCode(arg: Call["args"][number]): Code {
  if (Array.isArray(arg)) return { kind: "list", open: "[", parts: arg.map(toCode), close: "]" };
  if (typeof arg === "string") return quote(arg);
  if (typeof arg !== "object") return JSON.stringify(arg);
  if (isCall(arg)) return { kind: "call", open: `${arg.builder}(`, parts: arg.args.map(toCode), close: ")" };
  const parts = Object.entries(arg).map(([name, value]) => `${name}: ${value}`);
  return parts.length > 0 ? { kind: "object", open: "{ ", parts, close: " }" } : "{}";
}

type Code = string | Group;

/** Code that breaks into several lines if it does not fit. */
interface Group {
  kind: "call" | "list" | "object";
  open: string;
  parts: Code[];
  close: string;
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
  return typeof code === "string" || indent + taken + flat.length <= lineWidth ? flat : breakUp(code, indent);
}

/** One line per part; but numbers fill lines, and a call does not break if its last argument can. */
function breakUp({ kind, open, parts, close }: Group, indent: number): string {
  const [outer, inner] = [" ".repeat(indent), " ".repeat(indent + 2)];
  const last = parts.at(-1);
  if (kind === "call" && last !== undefined && isBreakable(last)) {
    const others = parts.slice(0, -1).map((part) => `${flatten(part)}, `);
    return `${open}${others.join("")}${breakUp(last, indent)}${close}`;
  }
  const lines = isNumbers(parts) ? fill(parts, indent + 2) : parts.map((part) => `${layOut(part, indent + 2, 1)},`);
  return `${open.trimEnd()}\n${lines.map((line) => `${inner}${line}\n`).join("")}${outer}${close.trimStart()}`;
}

function isBreakable(code: Code): code is Group {
  return typeof code !== "string" && code.kind !== "call" && !isNumbers(code.parts);
}

function isNumbers(parts: Code[]): parts is string[] {
  return parts.length > 1 && parts.every((part) => typeof part === "string" && /^-?\d/.test(part));
}

function fill(numbers: string[], indent: number): string[] {
  const lines: string[] = [];
  for (const number of numbers) {
    const line = lines.at(-1);
    const longer = `${line} ${number},`;
    if (line === undefined || indent + longer.length > lineWidth) lines.push(`${number},`);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function flatten(code: Code): string {
  return typeof code === "string" ? code : `${code.open}${code.parts.map(flatten).join(", ")}${code.close}`;
}
