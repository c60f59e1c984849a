import { type Declaration, pickText } from "../../declaration.ts";

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
    body,
    bodyType: bodyTypes[String([parse].flat()[0])] ?? (hasFile(body) ? "multipart/form-data" : undefined),
    refusal: 422,
    query: withoutText(find("query")),
    params: withoutText(find("params")),
    headers: withoutText(find("headers")),
    text: pickText({ ...(tags && { tags }), ...detail }),
    isHidden: websocket !== undefined || detail?.hide === true,
    answers: Object.assign({}, ...all.map(({ response }) => byStatus(response, models))),
  };
}

const bodyTypes: Record<string, string> = {
  formdata: "multipart/form-data",
  urlencoded: "application/x-www-form-urlencoded",
};

const named = (schema: unknown, models: Models) => (typeof schema === "string" ? models[schema] : schema);

function byStatus(response: unknown, models: Models): Record<string, unknown> {
  if (response === undefined) return {};
  const isOne = typeof response === "string" || Object.keys(response as object).some((key) => !/^\d+$/.test(key));
  if (isOne) return { 200: named(response, models) };
  return Object.fromEntries(Object.entries(response as object).map(([status, one]) => [status, named(one, models)]));
}

/** Elysia lets a number in a query be text, too, which it converts: `anyOf` has the text first. */
function withoutText(schema: unknown): unknown {
  const { properties } = (schema ?? {}) as { properties?: Record<string, { anyOf?: { type?: string }[] }> };
  if (!properties || "~standard" in (schema as object)) return schema;
  const plain = Object.entries(properties).map(([name, field]) => {
    const [text, other, ...more] = field.anyOf ?? [];
    return [name, other && text?.type === "string" && "format" in text && more.length === 0 ? other : field];
  });
  return { ...(schema as object), properties: Object.fromEntries(plain) };
}

const hasFile = (schema: unknown) => /"format":"binary"/.test(JSON.stringify(schema) ?? "");
