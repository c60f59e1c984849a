import type { Declaration } from "../../declaration.ts";

interface Settings {
  validate?: Record<"payload" | "query" | "params" | "headers", unknown>;
  payload?: { allow?: string[] };
  response?: { schema?: unknown; status?: Record<string, unknown> };
}

/** What the options of a route declare: in `validate`, and in `response`. */
export function readRoute(definition: unknown): Declaration {
  const { validate, payload, response = {} } = definition as Settings;
  const { schema, status = {} } = response;
  const answers = Object.entries({ "2XX": schema, ...status }).map(([one, schema]) => [one, schemaIn(schema)]);
  return {
    body: schemaIn(validate?.payload),
    bodyType: payload?.allow?.[0],
    refusal: typeof validate?.payload === "function" ? 422 : undefined,
    query: schemaIn(validate?.query),
    params: schemaIn(validate?.params),
    headers: schemaIn(validate?.headers),
    answers: Object.fromEntries(answers.filter(([, one]) => one !== undefined)),
  };
}

/** A schema, or the one in a function that `valid` has made. */
function schemaIn(rule: unknown): unknown {
  const { declares } = (rule ?? {}) as { declares?: Declaration };
  return declares ? declares.body : Object(rule) === rule && typeof rule !== "function" ? rule : undefined;
}
