import { type Context, type ElysiaCustomStatusResponse, status } from "elysia";
import { sendJson } from "../request.ts";

interface Answer {
  status: 200 | 204 | 304;
  body: string | null;
}

/** An answer with JSON text of the type, or without a body, each with its own status. */
type Typed<T, A extends Answer> = A extends { body: null }
  ? ElysiaCustomStatusResponse<A["status"]>
  : ElysiaCustomStatusResponse<A["status"], T>;

/** Sends an answer as it is. */
export function sendAnswer<T, A extends Answer>(set: Context["set"], { status: code, body }: A) {
  const response: unknown = body === null ? status(code) : status(code, sendJson<T>(set, body));
  return response as Typed<T, A>;
}
