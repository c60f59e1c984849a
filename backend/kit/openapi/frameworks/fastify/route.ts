import { type ByType, type Declaration, pickText } from "../../declaration.ts";

interface Definition {
  schema?: Record<"body" | "querystring" | "query" | "params" | "headers" | "response" | "hide", unknown>;
  /** Of `@fastify/websocket`. */
  websocket?: unknown;
  app: { getSchemas(): Record<string, object> };
}

/** What the `schema` of a route declares. */
export function readRoute(definition: unknown): Declaration {
  const { schema, websocket, app } = definition as Definition;
  const shared = app.getSchemas();
  const body = readContent(schema?.body, shared);
  const answers = Object.entries(schema?.response ?? {})
    .map(([status, one]) => ({ status: status.toUpperCase(), ...readContent(one, shared) }))
    .filter(({ status }) => status !== "DEFAULT");
  const byType = answers.flatMap(({ status, byType }) => (byType ? [[status, byType]] : []));
  return {
    body: body.schema,
    content: { body: body.byType, answers: Object.fromEntries(byType) },
    refusal: isStandard(body.schema) ? 422 : undefined,
    query: inlined(schema?.querystring ?? schema?.query, shared),
    params: inlined(schema?.params, shared),
    headers: inlined(schema?.headers, shared),
    answers: Object.fromEntries(answers.map(({ status, schema }) => [status, schema])),
    text: pickText(schema),
    isHidden: schema?.hide === true || websocket === true,
  };
}

/** A schema may be given for each media type: then `schema` is the first of them. */
function readContent(given: unknown, shared: Record<string, object>): { schema: unknown; byType?: ByType } {
  const { content = {} } = (given ?? {}) as { content?: Record<string, { schema?: unknown }> };
  const byType = Object.entries(content).map(([type, { schema }]) => [type, inlined(schema, shared)] as const);
  const [[, first] = []] = byType;
  return first === undefined
    ? { schema: inlined(given, shared) }
    : { schema: first, byType: Object.fromEntries(byType) };
}

/** The schema with those that `addSchema` shares in place of its references: `{ $ref: "note#" }`. */
function inlined(schema: unknown, shared: Record<string, object>, above: string[] = []): unknown {
  if (typeof schema !== "object" || schema === null || isStandard(schema)) return schema;
  if (Array.isArray(schema)) return schema.map((one) => inlined(one, shared, above));
  const { $ref } = schema as { $ref?: string };
  const [, id = "", path = ""] = /^([^#]+)#?(.*)$/.exec($ref ?? "") ?? [];
  if (id in shared && !above.includes(id)) {
    const steps = path.split("/").slice(1);
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], shared[id]);
    return inlined(found, shared, [...above, id]);
  }
  const members = Object.entries(schema).filter(([name]) => name !== "$id");
  return Object.fromEntries(members.map(([name, member]) => [name, inlined(member, shared, above)]));
}

function isStandard(schema: unknown): boolean {
  return Object(schema) === schema && "~standard" in (schema as object);
}
