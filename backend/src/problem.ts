import type { IncomingMessage } from "node:http";
import { log } from "./log.ts";

/** Every way to fail, with its status and RFC 9110's phrase for it. */
const problems = {
  malformed_json: [400, "Bad Request"],
  invalid_query: [400, "Bad Request"],
  bad_request: [400, "Bad Request"],
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

type Code = keyof typeof problems;

/** One wrong field (`pointer`, RFC 6901 in a URI fragment) or query parameter (`parameter`). */
export interface Fault {
  pointer?: string;
  parameter?: string;
  detail: string;
}

/** A failure the client is told about. Anything else that is thrown becomes an `internal_error`. */
export class Problem extends Error {
  readonly code: Code;
  readonly faults: Fault[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: Code, detail: string, faults?: Fault[], headers: Record<string, string> = {}) {
    super(detail);
    this.code = code;
    this.faults = faults;
    this.headers = headers;
  }
}

export const notFound = () => new Problem("not_found", "There is nothing at this path.");

export const methodNotAllowed = (allow: string) =>
  new Problem("method_not_allowed", `Use one of ${allow}.`, undefined, { Allow: allow });

export const unavailable = () =>
  new Problem("unavailable", "The service cannot answer now; try again shortly.", undefined, { "Retry-After": "1" });

export interface Answer {
  status: (typeof problems)[Code][0];
  reason: string;
  headers: Record<string, string>;
  body: string;
}

/** The HTTP answer (RFC 9457) to whatever was thrown while a request was handled. */
export function answerTo(error: unknown, { headers }: Pick<IncomingMessage, "headers">): Answer {
  const requestId = headers["x-request-id"];
  const problem = error instanceof Problem ? error : internalError(error, requestId);
  const { code, message: detail, faults: errors } = problem;
  const [status, title] = problems[code];
  return {
    status,
    reason: title,
    headers: { "Content-Type": "application/problem+json", ...problem.headers },
    body: JSON.stringify({ type: "about:blank", title, status, code, detail, errors, requestId }),
  };
}

function internalError(error: unknown, requestId: unknown): Problem {
  log("error", "a request failed unexpectedly", { requestId, error });
  return new Problem("internal_error", "Something went wrong here. The request id identifies it in the logs.");
}
