import { type Declaration, pickText } from "../../declaration.ts";

interface Settings {
  description?: string;
  notes?: string | string[];
  tags?: string[];
  validate?: Record<"payload" | "query" | "params" | "headers", unknown>;
  payload?: { allow?: string[] };
  response?: { schema?: unknown; status?: Record<string, unknown> };
}

/** What the options of a route declare: in `validate`, and in `response`. */
export function readRoute(definition: unknown): Declaration {
  const { description, notes, tags, validate, payload, response = {} } = definition as Settings;
  const { schema, status = {} } = response;
  const answers = Object.entries({ "2XX": schema, ...status }).map(([one, schema]) => [one, schemaIn(schema)]);
  const text = {
    summary: description,
    description: notes && [notes].flat().join(" "),
    // The tag by which hapi-swagger finds routes.
    tags: tags?.filter((tag) => tag !== "api"),
  };
  return {
    text: pickText(text),
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
