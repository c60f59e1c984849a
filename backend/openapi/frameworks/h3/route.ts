import type { Declaration } from "../../declaration.ts";

interface Definition {
  handler: { validate?: Declaration & { onError?: (result: { issues: [] }) => { status?: number } } };
  meta?: Pick<Declaration, "answers">;
}

/** What `defineValidatedHandler` and the `meta` of a route declare. */
export function readRoute(definition: unknown): Declaration {
  const { handler, meta } = definition as Definition;
  const { body, query, headers, onError } = handler.validate ?? {};
  return { body, query, headers, refusal: onError?.({ issues: [] })?.status, answers: meta?.answers };
}
