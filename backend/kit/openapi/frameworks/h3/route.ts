import { type Declaration, pickText } from "../../declaration.ts";

interface Definition {
  handler: { validate?: Declaration & { onError?: (result: { issues: [] }) => { status?: number } } };
  meta?: Pick<Declaration, "body" | "answers"> & { openAPI?: object };
}

/** What `defineValidatedHandler` and the `meta` of a route declare. */
export function readRoute(definition: unknown): Declaration {
  const { handler, meta = {} } = definition as Definition;
  const { body, query, headers, onError } = handler.validate ?? {};
  const refusal = body === undefined ? 422 : onError?.({ issues: [] })?.status;
  return { body: body ?? meta.body, query, headers, refusal, answers: meta.answers, text: pickText(meta.openAPI) };
}
