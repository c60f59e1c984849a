import assert from "node:assert/strict";
import { credentials } from "./auth/tokens.ts";
import { isReusable, replyTo } from "./connections.ts";
import type { OpenApi, Resource } from "./document.ts";
import { isTagged } from "./item-routes/headers.ts";
import { RateLimited, Skipped } from "./skipped.ts";
import { type Reply, Wire } from "./wire.ts";

/** Where a backend runs, and its limits. */
export interface Place {
  url: string;
  bodyLimitBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
}

/** What a backend may have besides its resources. */
export type Feature = "auth" | "cors" | "item-routes" | "webhooks";

/** A running backend, its OpenAPI document, and its features. */
export interface Running extends Place {
  document: OpenApi;
  features: Feature[];
}

/** One resource of a running backend, which most checks are about. */
export type Subject = Running & Resource;

/** One sentence of the contract, and how to find out whether it holds. */
export interface Check<About = Subject> {
  name: string;
  /** Whether it mostly waits, and can run at the same time as others. */
  isSlow?: true | undefined;
  /** Whether it applies to a resource; by default to all. */
  isFor?: ((resource: Resource) => boolean) | undefined;
  run(about: About): Promise<void>;
}

export const defaults = {
  bodyLimitBytes: 102_400,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
};

export interface Sent {
  method?: string;
  /** By default that of the resource. */
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends one request, on a new connection only if its framing is unusual. */
export async function send(subject: Running | Subject, sent: Sent): Promise<Reply> {
  const [bytes, options] = [message(subject, sent), { isHead: sent.method === "HEAD" }];
  if (!isReusable(sent.headers ?? {})) return exchange(subject, bytes, options);
  const reply = await replyTo(subject.url, bytes, options);
  checkCommonHeaders(reply);
  return reply;
}

/** Sends bytes on a new connection and resolves with the answer. Headers that every answer has are checked here. */
export async function exchange(subject: Running, bytes: string | Buffer, options = {}): Promise<Reply> {
  const wire = new Wire(subject.url);
  try {
    const reply = await wire.send(bytes).reply(options);
    checkCommonHeaders(reply);
    return reply;
  } finally {
    wire.end();
  }
}

/** The same for an answer that may stream: only its beginning is read then. */
export async function begin(subject: Running, bytes: string | Buffer): Promise<Reply & { isWhole: boolean }> {
  const wire = new Wire(subject.url);
  try {
    const reply = await wire.send(bytes).beginning();
    checkCommonHeaders(reply);
    return reply;
  } finally {
    wire.end();
  }
}

/** The bytes of a request, well-formed unless `sent` changes that. */
export function message(subject: Running | Subject, sent: Sent): Buffer {
  const own = "path" in subject ? subject.path : "/";
  const { method = "GET", path = own, headers = {}, body } = sent;
  const content = Buffer.from(body ?? "");
  const length = body === undefined || "Transfer-Encoding" in headers ? {} : { "Content-Length": content.length };
  const all = Object.entries({
    Host: new URL(subject.url).host,
    ...(subject.features.includes("auth") && credentials),
    ...length,
    ...headers,
  });
  const head = `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), content]);
}

export async function post(subject: Subject, item: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return postText(subject, JSON.stringify(item), headers);
}

export async function postText(subject: Subject, body: string | Buffer, headers: Record<string, string> = {}) {
  return send(subject, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body });
}

/** Checks the headers that every answer has, also that of an owner's route. */
export function checkCommonHeaders({ status, headers }: Reply): void {
  if (status === 100) return;
  if (status >= 400) assert.equal(headers["cache-control"], "no-store", "Cache-Control");
  assert.equal(headers["x-content-type-options"], "nosniff", "X-Content-Type-Options");
  assert.match(headers["x-request-id"] ?? "", /^[\w.:-]{1,128}$/, "X-Request-Id");
}

const titles: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  422: "Unprocessable Content",
  428: "Precondition Required",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable",
};

export interface ProblemBody {
  detail: string;
  errors?: { pointer?: string; parameter?: string; detail: string }[];
}

/** Checks an answer against RFC 9457 and the table of errors. */
export function expectProblem(reply: Reply, status: number, code: string): ProblemBody {
  expectNotForbidden(reply);
  const context = `${reply.status} ${reply.body}`;
  assert.equal(reply.status, status, context);
  const { detail, errors, ...rest } = expectAnyProblem(reply);
  const requestId = reply.headers["x-request-id"];
  assert.deepEqual(rest, { type: "about:blank", title: titles[status], status, code, requestId }, context);
  assert.doesNotMatch(reply.body, internals, context);
  return { detail, errors };
}

/** What no failure may show. */
const internals = /\\n +at |node_modules|\.[cm]?[jt]s\b|SELECT |INSERT |SQLITE|sqlite/;

/** Checks the form of any failure. */
export function expectAnyProblem(reply: Reply) {
  const context = `${reply.status} ${reply.body}`;
  checkCommonHeaders(reply);
  assert.equal(mediaType(reply), "application/problem+json", context);
  const problem = JSON.parse(reply.body);
  for (const name of ["type", "title", "code", "detail"]) {
    assert.equal(typeof problem[name], "string", `${name} in ${context}`);
    assert.notEqual(problem[name], "", `${name} in ${context}`);
  }
  assert.equal(problem.status, reply.status, context);
  assert.equal(problem.requestId, reply.headers["x-request-id"], context);
  return problem;
}

/** Checks that an item was refused for the faults at these pointers, and no others. */
export function expectFaults(reply: Reply, pointers: string[]): void {
  const { errors } = expectProblem(reply, 422, "invalid_item");
  assert.deepEqual(
    errors?.map(({ pointer }) => pointer),
    pointers,
  );
  for (const { detail } of errors ?? []) assert.ok(detail);
}

/** Checks that there is nothing at a path. */
export function expectNotFound(reply: Reply, path: string): void {
  const isPage = reply.status === 200 && /^\{"items":\[.*"nextCursor":/.test(reply.body);
  assert.ok(!isPage, `${path} answers with a page. Paths are exact: let no route of a resource end with a slash.`);
  expectNoCatchAll(reply, path);
  expectMissing(reply);
}

/** Checks a 404, which may be an owner's own, with other members than ours. */
export function expectMissing(reply: Reply): void {
  const context = `${reply.status} ${reply.body}`;
  assert.equal(reply.status, 404, context);
  expectAnyProblem(reply);
  assert.doesNotMatch(reply.body, internals, context);
}

/** Middleware and catch-all routes of an owner may answer where there is nothing, or read a body first. */
export function expectNoCatchAll({ status }: Reply, path: string): void {
  if (status < 500 && status !== 404)
    throw new Skipped(`Middleware or a catch-all route answers ${path.slice(0, 50)} with ${status}.`);
}

/** Checks that no plugin of the owner answers browsers: then it also answers OPTIONS. */
export function expectNoPlugin({ status, headers, body }: Reply): void {
  const [found] = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  if (found) throw new Skipped(`A plugin of the app answers OPTIONS, and sets ${found}.`);
  if (status === 400 && /pre-?flight/i.test(body))
    throw new Skipped("A plugin of the app answers OPTIONS, and refuses what no browser asks.");
}

/** Nothing that is generated answers 403, so a plugin does, like one against forged forms. */
export function expectNotForbidden({ status }: Reply): void {
  if (status === 403) throw new Skipped("A plugin of the app refuses some requests with 403.");
}

/** Checks that a body was refused for its encoding, which it does not have. A plugin that decodes bodies refuses only that. */
export async function expectEncodingRefused(reply: Reply, sendPacked: () => Promise<Reply>): Promise<void> {
  const isUsual = reply.status < 400 || reply.status >= 500 || reply.body.includes('"unsupported_media_type"');
  const packed = isUsual ? undefined : await sendPacked();
  if (packed && (packed.status < 300 || packed.status === 415))
    throw new Skipped("A plugin of the app decodes bodies.");
  expectProblem(reply, 415, "unsupported_media_type");
}

/** Checks a success and returns its body. */
export function expectJson(reply: Reply, status: number) {
  expectNotForbidden(reply);
  if (reply.status === 304) throw new Skipped("A plugin of the app compares ETags.");
  assert.equal(reply.status, status, `${reply.status} ${reply.body}`);
  for (const name of ["server", "x-powered-by"]) assert.equal(reply.headers[name], undefined, name);
  assert.equal(mediaType(reply), "application/json");
  assert.equal(reply.headers["cache-control"], "no-store", "Cache-Control");
  if (isTagged(reply)) return JSON.parse(reply.body);
  if (reply.headers["etag"] !== undefined) throw new Skipped("A plugin of the app sets ETag.");
  assert.equal(reply.headers["location"], undefined, "Location");
  return JSON.parse(reply.body);
}

function mediaType({ headers }: Reply): string | undefined {
  return headers["content-type"]?.replace(/; ?charset=utf-8$/i, "");
}

/** Runs one check for many inputs, and reports which of them failed, or were skipped. */
export async function each<T>(inputs: Iterable<T>, check: (input: T) => Promise<void>): Promise<void> {
  const failures: string[] = [];
  const skipped = new Set<string>();
  for (const input of inputs) {
    const error = await check(input).then(
      () => undefined,
      (error) => error,
    );
    if (error instanceof Skipped) skipped.add(error.message);
    else if (error) failures.push(`${show(input)}: ${error.message}`);
    if (error instanceof RateLimited) break;
  }
  assert.deepEqual(failures, []);
  if (skipped.size > 0) throw new Skipped([...skipped].join(" "));
}

function show(input: unknown): string {
  if (Array.isArray(input)) return input.map(show).join(" ");
  return (Buffer.isBuffer(input) ? input.toString("latin1") : JSON.stringify(input)).slice(0, 120);
}
