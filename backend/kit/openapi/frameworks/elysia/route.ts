import { type Declaration, pickText } from "../../declaration.ts";
import type { Schema } from "../../example.ts";

interface Hooks extends Schemas {
  parse?: unknown;
  /** Of `.ws()`. */
  websocket?: unknown;
  detail?: { hide?: boolean };
  tags?: string[];
  /** Schemas of a guard around the route. */
  standaloneValidator?: Schemas[];
}

type Models = Record<string, unknown>;

interface Definition {
  hooks: Hooks;
  app: { definitions: { type: Models } };
}

interface Schemas {
  body?: unknown;
  query?: unknown;
  params?: unknown;
  headers?: unknown;
  cookie?: unknown;
  /** One schema, or one for each status. */
  response?: unknown;
}

/** What the options of a route declare: `t`, a Standard Schema, or the name of a model. */
export function readRoute(definition: unknown): Declaration {
  const { hooks, app } = definition as Definition;
  const { parse, websocket, detail, tags, standaloneValidator = [], ...own } = hooks;
  const models = app.definitions.type;
  const all = [...standaloneValidator, own];
  const find = (part: keyof Schemas) => all.map((one) => named(one[part], models)).findLast((one) => one !== undefined);
  const body = find("body");
  return {
    body: simplify(body),
    isBodyOptional: isOptional(body),
    bodyType: bodyTypes[readParser(parse)] ?? (hasFile(body) ? "multipart/form-data" : undefined),
    refusal: 422,
    query: simplify(find("query")),
    params: simplify(find("params")),
    headers: simplify(find("headers")),
    cookies: simplify(find("cookie")),
    parameterRefusal: 422,
    text: pickText({ ...(tags && { tags }), ...detail }),
    isHidden: websocket !== undefined || detail?.hide === true,
    answers: Object.assign({}, ...all.map(({ response }) => byStatus(response, models))),
  };
}

/** The name of the first parser; Elysia keeps it in an object. */
function readParser(parse: unknown): string {
  const [first] = [parse].flat();
  return String((first as { fn?: unknown } | undefined)?.fn ?? first);
}

const bodyTypes: Record<string, string> = {
  text: "text/plain",
  arrayBuffer: "application/octet-stream",
  formdata: "multipart/form-data",
  urlencoded: "application/x-www-form-urlencoded",
};

const named = (schema: unknown, models: Models) => (typeof schema === "string" ? models[schema] : schema);

function byStatus(response: unknown, models: Models): Record<string, unknown> {
  if (response === undefined) return {};
  const isOne = typeof response === "string" || Object.keys(response as object).some((key) => !/^\d+$/.test(key));
  if (isOne) return { 200: simplify(named(response, models)) };
  return Object.fromEntries(
    Object.entries(response as object).map(([status, one]) => [status, simplify(named(one, models))]),
  );
}

/** What `t` adds for Elysia alone: text that it converts, a kind of JSON schema for `Date`, messages and marks. */
function simplify(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || "~standard" in schema) return schema;
  return JSON.parse(JSON.stringify(schema), (name, value) => {
    if (/^(error|elysiaMeta)$/.test(name) && typeof value === "string") return undefined;
    if (Array.isArray(value?.anyOf)) return withoutText(value);
    return value?.format === "binary" ? pickFile(value) : value;
  });
}

function withoutText({ anyOf, ...rest }: { anyOf: { type?: string; format?: string }[] }): object {
  const isDate = anyOf.some(({ type }) => type === "Date");
  const isLeft = ({ type, format = "" }: (typeof anyOf)[0]) =>
    isDate ? format === "date-time" : type !== "string" || !converted.includes(format);
  const left = anyOf.filter(isLeft);
  return left.length === 1 ? { ...rest, ...left[0] } : { ...rest, anyOf: left };
}

/** The other members are about its size and its kind, in words of Elysia. */
function pickFile({ type, format, title, description }: Schema): object {
  return { type, format, title, description };
}

/** The formats of texts that Elysia reads as something else. */
const converted = ["numeric", "integer", "boolean", "ObjectString", "ArrayString"];

const isOptional = (schema: unknown) => Symbol.for("TypeBox.Optional") in Object(schema);

const hasFile = (schema: unknown) => /"format":"binary"/.test(JSON.stringify(schema) ?? "");
