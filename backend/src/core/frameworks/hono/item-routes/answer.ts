import type { Context, TypedResponse } from "hono";
import type { StatusCode } from "hono/utils/http-status";

interface Answer {
  status: StatusCode;
  headers: Record<string, string>;
  body: string | null;
}

/** An answer with JSON text of the type, or without a body, each with its own status. */
type Typed<T, A extends Answer> = A extends { body: null }
  ? TypedResponse<null, A["status"], "body">
  : TypedResponse<T, A["status"], "json">;

/** Sends an answer as it is. */
export function sendAnswer<T, A extends Answer>(c: Context, { status, headers, body }: A) {
  const response: unknown = c.newResponse(body, status, headers);
  return response as Typed<T, A>;
}
