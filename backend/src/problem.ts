import type { IncomingMessage } from "node:http";
import { unauthorized } from "./features/auth/problem.ts";
import { log } from "./log.ts";

/** Every way to fail: its status, and RFC 9110's phrase for it. */
const problems = {
  malformed_json: [400, "Bad Request"],
  invalid_query: [400, "Bad Request"],
  bad_request: [400, "Bad Request"],
  unauthorized,
  not_found: [404, "Not Found"],
  method_not_allowed: [405, "Method Not Allowed"],
  request_timeout: [408, "Request Timeout"],
  body_too_large: [413, "Content Too Large"],
  unsupported_media_type: [415, "Unsupported Media Type"],
  expectation_failed: [417, "Expectation Failed"],
  invalid_item: [422, "Unprocessable Content"],
  idempotency_key_reused: [422, "Unprocessable Content"],
  headers_too_large: [431, "Request Header Fields Too Large"],
  internal_error: [500, "Internal Server Error"],
  unavailable: [503, "Service Unavailable"],
} as const;

/** A failure that the client is told about; `errors` names the fields or query parameters that are at fault. */
export class Problem extends Error {
  readonly code: keyof typeof problems;
  readonly more: { errors?: object[]; headers?: Record<string, string> };

  constructor(code: Problem["code"], detail: string, more: Problem["more"] = {}) {
    super(detail);
    this.code = code;
    this.more = more;
  }
}

export const notFound = () => new Problem("not_found", "There is nothing at this path.");
export const methodNotAllowed = (allow: string) =>
  new Problem("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } });
export const unavailable = () =>
  new Problem("unavailable", "This cannot be answered now; try again shortly.", { headers: { "Retry-After": "1" } });

/** The answer (RFC 9457) to whatever was thrown while a request was handled. */
export function answerTo(error: unknown, { headers }: Pick<IncomingMessage, "headers">) {
  const requestId = headers["x-request-id"];
  const isForeseen = error instanceof Problem;
  if (!isForeseen) log("error", "a request failed unexpectedly", { requestId, error });
  const problem = isForeseen ? error : new Problem("internal_error", "Something went wrong; the logs tell more.");
  const { code, message: detail, more } = problem;
  const [status, title] = problems[code];
  const body = JSON.stringify({ type: "about:blank", title, status, code, detail, errors: more.errors, requestId });
  return { status, headers: { "Content-Type": "application/problem+json", ...more.headers }, body };
}
