import { STATUS_CODES } from "node:http";
import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The status of each code. */
const statuses = {
  malformed_json: 400,
  invalid_query: 400,
  bad_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  invalid_item: 422,
  idempotency_key_reused: 422,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
} as const;

/** RFC 9110's phrases, where Node's differ. */
const phrases: Record<number, string> = { 413: "Content Too Large", 422: "Unprocessable Content" };

export interface Fault {
  pointer?: string;
  parameter?: string;
  detail: string;
}

interface More {
  errors?: Fault[];
  headers?: Record<string, string>;
  /** Further members of its body. */
  members?: object;
}

/** How many bytes the headers of a request may have. */
export const maxHeaderBytes = 16_384;
/** How many of its faults a problem lists. */
export const maxErrors = 20;
/** How long a text in an answer may be: what is thrown may have any size. */
const maxLength = 2000;

/** A failure that is reported to the client; `errors` names the fields or query parameters that are wrong. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly more: More;
  /** Libraries that wrap an error read these two. */
  readonly statusCode: number;
  readonly expose = true;

  constructor(code: keyof typeof statuses | [code: string, status: number], detail: string, more: More = {}) {
    super(detail);
    [this.code, this.status] = typeof code === "string" ? [code, statuses[code]] : code;
    this.statusCode = this.status;
    this.more = more;
  }
}

/** A problem with any status: its code is the status phrase, unless the table has another. */
export function createProblem(status: number, detail = "", more: More = {}): Problem {
  const [known] = Object.entries(statuses).filter(([code, one]) => one === status && !specificCodes.has(code));
  const code = known?.[0] ?? findTitle(status).toLowerCase().replace(/'/g, "").replace(/\W+/g, "_");
  return new Problem([code, status], detail || details[status] || `${findTitle(status)}.`, more);
}

/** The same, with the code that the app, or a library that answers for it, has written. Codes of frameworks are not for clients. */
export function nameProblem(problem: Problem, code: unknown): Problem {
  const { status, message, more } = problem;
  const isOwn = typeof code === "string" && ownCode.test(code) && code.length <= 100;
  return isOwn ? new Problem([code, status], message, more) : problem;
}

const ownCode = /^(?!FST_|ERR_|E[A-Z]+$)[A-Za-z][A-Za-z0-9]*([_.-][A-Za-z0-9]+)*$/;

/** Codes that are more specific than their status. */
const specificCodes = new Set(["malformed_json", "invalid_query", "invalid_item", "idempotency_key_reused"]);

const details: Record<number, string> = {
  404: "Nothing was found at this path.",
  500: "Something went wrong; see the logs for details.",
  503: "The service is not available now; try again shortly.",
};

export function findTitle(status: number): string {
  return phrases[status] ?? STATUS_CODES[status] ?? "Error";
}

export const malformedJson = (reason = "it ends too early") =>
  new Problem("malformed_json", `The body is not valid JSON: ${reason}.`);
export const malformedHttp = () => new Problem("bad_request", "The request is not well-formed HTTP.");
export const notFound = () => createProblem(404);
export const methodNotAllowed = (allow: string) =>
  new Problem("method_not_allowed", `This path allows ${allow}.`, { headers: { Allow: allow } });
export const requestTimeout = () => new Problem("request_timeout", "Send the request faster.");
export const bodyTooLarge = (bytes: number) =>
  new Problem("body_too_large", `The body may have at most ${bytes} bytes.`);
export const notJson = () => new Problem("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
export const expectationFailed = () =>
  new Problem("expectation_failed", "The only supported expectation is 100-continue.");
export const keyReused = () =>
  new Problem("idempotency_key_reused", "This Idempotency-Key was used for another item; use a new one.");
export const headersTooLarge = () =>
  new Problem("headers_too_large", `Send at most ${maxHeaderBytes} bytes of headers.`);
export const unavailable = (headers: Record<string, string> = {}) =>
  createProblem(503, "", { headers: isNamed(headers, "retry-after") ? headers : { ...headers, "Retry-After": "1" } });

const isNamed = (headers: object, wanted: string) => Object.keys(headers).some((name) => name.toLowerCase() === wanted);

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The JSON of that answer, for typed clients. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: Fault[];
  requestId: string;
}

/** The answer for a problem (RFC 9457). `members` are those of an answer that it replaces. */
export function writeAnswer(
  { code, status, message, more }: Problem,
  requestId: unknown,
  members: object = {},
): Answer {
  const { errors = [], members: own } = more;
  const count = errors.length > maxErrors ? `more than ${maxErrors}` : errors.length;
  const detail = errors.length > 1 ? `${clip(message, maxLength)} (1 of ${count} faults)` : clip(message, maxLength);
  const standard = { type: "about:blank", title: findTitle(status), status, code, detail };
  const shown = errors.slice(0, maxErrors).map(clipFault);
  const body = { ...own, ...members, ...standard, ...(shown.length > 0 && { errors: shown }), requestId };
  return {
    status,
    headers: { "Content-Type": "application/problem+json", ...more.headers },
    body: JSON.stringify(body),
  };
}

function clipFault(fault: Fault): Fault {
  const clipped = Object.entries(fault).map(([name, text]) => [name, clip(text, maxLength)]);
  return Object.fromEntries(clipped);
}

/** The start of a text that may be too long. */
function clip(text: unknown, length: number): string {
  const whole = String(text ?? "");
  return whole.length > length ? `${whole.slice(0, length)}…`.toWellFormed() : whole;
}

/** Validates a value with a schema of any library that supports Standard Schema. */
export async function validate<T>(schema: StandardSchemaV1<unknown, T>, value: unknown, part = "body"): Promise<T> {
  const result = await schema["~standard"].validate(value);
  if (result.issues) throw invalidInput(result.issues, part);
  return result.value;
}

/** The problem of input that a schema refuses: a body is a 422, any other part of a request a 400. */
export function invalidInput(issues: readonly Issue[], part = "body"): Problem {
  const [first] = issues;
  if (first?.code === "invalid_query") return invalidQuery([first]);
  if (part.startsWith("query")) return invalidQuery(issues);
  const problem = invalidItem(issues);
  return part === "body" ? problem : createProblem(400, problem.message, { errors: listParameters(issues) });
}

function listParameters(issues: readonly Issue[]) {
  // Of some faults, a framework does not say which parameter it is.
  const some = issues.filter((issue) => readSteps(issue).length > 0).slice(0, maxErrors + 1);
  return some.map((issue) => ({ parameter: toParameter(issue), detail: issue.message ?? "is not valid" }));
}

function invalidQuery(issues: readonly Issue[]): Problem {
  const errors = listParameters(issues);
  const [first] = errors;
  const name = first?.parameter ? `The query parameter "${first.parameter}"` : "The query";
  return new Problem("invalid_query", `${name} ${first?.detail}.`, { errors });
}

/** The problem of an invalid body. Only the first of several faults at one pointer is reported. */
export function invalidItem(issues: readonly Issue[]): Problem {
  const faults = new Map<string, Issue>();
  for (const issue of issues) {
    const pointer = toPointer(issue);
    if (!faults.has(pointer)) faults.set(pointer, issue);
    if (faults.size > maxErrors) break;
  }
  const errors = [...faults].map(([pointer, { message }]) => ({ pointer, detail: message ?? "is not valid" }));
  const [first] = faults.values();
  const name = readSteps(first).join(".") || "The body";
  const message = String(first?.message);
  // Some validators, and messages of an owner, name the field themselves.
  return new Problem("invalid_item", message.startsWith(`${name} `) ? message : `${name} ${message}`, { errors });
}

/** The message about a field that was not sent. */
export const isMissing = "is required";

/** A fault as validators report it: Standard Schema and Zod, joi (`details`), Ajv (`validation`). */
interface Issue {
  message?: string | undefined;
  path?: readonly unknown[] | undefined;
  instancePath?: string;
  code?: string | undefined;
}

/** The faults that an error of any validator lists. Without a body, they are those of parameters. */
export function readFaults(error: object, hasBody = true): Fault[] {
  const { issues, details, validation, data, cause } = error as Record<string, unknown>;
  const lists = [issues, details, validation, (data as WithIssues)?.issues, (cause as WithIssues)?.issues];
  const found = lists.find((list) => Array.isArray(list) && list.length > 0) as Issue[] | undefined;
  if (!hasBody || isOfParameter(error)) return listParameters(found ?? []);
  const some = (found ?? []).slice(0, maxErrors + 1);
  return some.map((issue) => ({ pointer: toPointer(issue), detail: issue.message ?? "is not valid" }));
}

/** Whether it is the query that was refused, a parameter of the path or a header. */
function isOfParameter(error: object): boolean {
  const { validationContext, type, output } = error as OfPart;
  const parts = [validationContext, type, output?.payload?.validation?.source];
  return parts.some((one) => /^(query|param|header)/.test(String(one)));
}

interface OfPart {
  validationContext?: unknown;
  type?: unknown;
  output?: { payload?: { validation?: { source?: unknown } } };
}

type WithIssues = { issues?: unknown } | undefined;

function readSteps({ path, instancePath = "" }: Issue = {}): unknown[] {
  // Not `map` of the path: that of a list of another class makes one of that class.
  const steps = Array.from(path ?? instancePath.split("/").slice(1));
  return steps.map((step) => (typeof step === "object" && step ? (step as { key: unknown }).key : step));
}

const toParameter = (issue: Issue) => String(readSteps(issue)[0] ?? "");

/** RFC 6901, section 6: a JSON pointer in a URI fragment. */
function toPointer(issue: Issue): string {
  const escapeStep = (step: unknown) =>
    encodeURIComponent(String(step).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
  return ["#", ...readSteps(issue).map(escapeStep)].join("/");
}

/** A failure at startup that an operator can fix. */
export class StartError extends Error {}
