import type { Context, TypedResponse } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Answers with JSON text, which typed clients read as a value of the type. `c.json` would write it as a string. */
export function sendJson<T, S extends ContentfulStatusCode = 200>(c: Context, text: string, status = 200 as S) {
  const response: unknown = c.body(text, status, { "Content-Type": "application/json" });
  return response as TypedResponse<T, S, "json">;
}
