import { validateHeaderName, validateHeaderValue } from "node:http";
import { malformedJson } from "./http/body.ts";
import type { HttpRequest } from "./http/request.ts";
import { log } from "./log.ts";
import { type Answer, createProblem, type Fault, Problem, unavailable, writeAnswer } from "./problem.ts";
import { readFaults } from "./validation.ts";

/** The answer to anything that was thrown while a request was handled. */
export function toAnswer(error: unknown, req: object): Answer {
  return writeAnswer(toProblem(error, req as HttpRequest), (req as HttpRequest).requestId);
}

/** The problem for a thrown error. An error that is not the client's fault is logged, and its details are not sent. */
export function toProblem(error: unknown, req: HttpRequest): Problem {
  const problem = req.refusal ?? attempt(() => findClientsFault(error as Thrown, req));
  if (problem) return problem;
  log("error", "a request failed unexpectedly", { requestId: req.requestId, error });
  return attempt(() => findUnavailable(error as Thrown)) ?? createProblem(500);
}

/** Logs what failed when there is nobody left to answer, unless it is the client's fault. */
export function logFailure(error: unknown, req: object = {}): void {
  toProblem(error, req as HttpRequest);
}

/** Anything can be thrown, also a value whose members throw. */
function attempt(read: () => Problem | undefined): Problem | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Some frameworks and plugins refuse requests that take too long, or under load. */
function findUnavailable(error: Thrown): Problem | undefined {
  return readStatus(error ?? {}) === 503 ? unavailable(readHeaders(error)) : undefined;
}

/** The problem that an error of a framework, a plugin or a library describes. */
function findClientsFault(error: Thrown, req: HttpRequest): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error?.cause instanceof Problem) return error.cause;
  const status = readStatus(error ?? {});
  const isParsers = error instanceof SyntaxError || (status === 400 && /JSON/.test(readDetail(error)));
  const malformed = isParsers ? malformedJson(req) : undefined;
  if (malformed) return malformed;
  if (status >= 400 && status < 500) return createProblem(status, readDetail(error), readMore(error));
  const isGone = req.isCutOff || (req.socket?.destroyed && goneCodes.includes(error?.code ?? ""));
  return isGone ? new Problem("bad_request", "The body did not arrive whole.") : undefined;
}

/** The errors in a handler whose client has disconnected. */
const goneCodes = ["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"];

/** Where frameworks and libraries put the status of an error, and its message for the client. */
interface Thrown {
  code?: string;
  message?: string;
  cause?: unknown;
  expose?: boolean;
  syscall?: string;
  status?: unknown;
  statusCode?: unknown;
  headers?: object;
  output?: { statusCode: number; payload?: { message?: string }; headers?: object };
  res?: Response;
  getResponse?(): unknown;
}

function readStatus({ output, statusCode, status }: Thrown): number {
  const found = Number(output?.statusCode ?? statusCode ?? status ?? 0);
  return Number.isInteger(found) ? found : 0;
}

/** A message that was written for the client. A system error's message would contain a path. */
function readDetail(error: Thrown): string {
  if (error.expose === false || error.syscall) return "";
  const { message = error.output?.payload?.message } = (error.getResponse?.() ?? {}) as { message?: unknown };
  return [message ?? error.message ?? ""].flat().join("; ");
}

function readMore(error: Thrown): { errors?: Fault[]; headers?: Record<string, string> } {
  const errors = readFaults(error);
  return { headers: readHeaders(error), ...(errors.length > 0 && { errors }) };
}

/** The headers that belong to a failure, like Retry-After and Allow. */
function readHeaders({ headers, output, res }: Thrown): Record<string, string> {
  const entries = [headers, output?.headers, res?.headers].flatMap((one) =>
    one && Symbol.iterator in one ? [...(one as Headers)] : Object.entries(one ?? {}),
  );
  return Object.fromEntries(entries.filter(([name, value]) => isSendable(name, String(value))));
}

/** How many characters a header of a failure may have. */
const maxHeader = 8192;

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return value.length <= maxHeader && !/^(content(?!-range$)|transfer|connection|x-request-id$)/i.test(name);
  } catch {
    return false;
  }
}
