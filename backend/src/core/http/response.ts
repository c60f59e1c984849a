import { AsyncLocalStorage } from "node:async_hooks";
import {
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { log } from "../log.ts";
import {
  type Answer,
  createProblem,
  type Fault,
  methodNotAllowed,
  nameProblem,
  notFound,
  Problem,
  readFaults,
  unavailable,
  writeAnswer,
} from "../problem.ts";
import { findMalformedJson, HttpRequest, restorePrototype } from "./request.ts";
import { anyMethod, selectRoutes } from "./routes.ts";

/** The answer that is being made. */
export const handling = new AsyncLocalStorage<HttpResponse>();

/** Returns a function that tells whether nobody waits for the answer any more: another one was sent instead, or the client has left. */
export function watchRequest(): () => boolean {
  const res = handling.getStore();
  // What is done after the answer, or when the client has left, goes on.
  return res && !res.destroyed ? () => res.destroyed && !res.writableEnded : () => false;
}

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

/** Members of Node's response that are not documented. All of its bytes pass through `_send`, below every wrapper. */
declare module "node:http" {
  interface OutgoingMessage {
    _hasBody: boolean;
    _header: string | null;
    _last: boolean;
    _send(data: string | Uint8Array, ...rest: [encoding?: unknown, done?: unknown, size?: number]): boolean;
  }
}

type Done = (error: Error | null) => void;

/** An answer whose bytes are not sent. Whoever writes it does not notice. */
interface Discarded {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer[];
  size: number;
  whenSent: Done[];
}

/**
 * A response that meets the contract, whatever writes it. A failing answer that is not a problem becomes one. Where the
 * path has other methods, a router's 404 becomes a 405, or the answer to OPTIONS.
 */
export class HttpResponse extends ServerResponse<HttpRequest> {
  /** Headers of every answer, unless its writer sets them. Node would write all headers more slowly after `setHeader`. */
  readonly own: OutgoingHttpHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  /** Why the connection was cut off before the end of the answer, if not by the client. */
  cutBecause: string | undefined;
  private discarded: Discarded | undefined;
  private isEnding = false;

  constructor(...args: ConstructorParameters<typeof ServerResponse<HttpRequest>>) {
    super(...args);
    // They stay when a library replaces the prototype.
    Object.assign(this, { writeHead, end });
  }

  /** Whether the answer that is being written is the one that the client gets. */
  get hasBegun(): boolean {
    return this.headersSent && !this.discarded;
  }

  override writeHead(status: number, ...rest: (string | Given)[]): this {
    restorePrototypes(this);
    const reason = typeof rest[0] === "string" ? rest[0] : undefined;
    const given = rest.find((one) => typeof one === "object") as Given;
    const isReplaced = !this.headersSent && this.mustChange(status, given);
    super.writeHead(status, reason, this.complete(given));
    if (!isReplaced) return this;
    this.discarded = { status, headers: { ...lowerNames(given) }, body: [], size: 0, whenSent: [] };
    // The body passes through `_send` as it was written.
    this.chunkedEncoding = false;
    return this;
  }

  override _send(data: string | Uint8Array, ...rest: [unknown?, unknown?, number?]): boolean {
    if (!this.discarded) return super._send(data, ...rest);
    if (this.socket?.destroyed) return false;
    keep(this.discarded, data, rest[0]);
    const done = rest.find((one) => typeof one === "function") as Done | undefined;
    if (done && this.isEnding) this.discarded.whenSent.push(done);
    else if (done) process.nextTick(done, null);
    return true;
  }

  override end(...args: unknown[]): this {
    restorePrototypes(this);
    const { writableEnded } = this;
    this.isEnding = true;
    try {
      super.end(...(args as [unknown, BufferEncoding]));
    } finally {
      this.isEnding = false;
    }
    if (this.discarded && !writableEnded) this.sendInstead(this.discarded);
    this.req.carrier?.look();
    return this;
  }

  /** Answers with a problem. */
  fail(problem: Problem): void {
    const answer = this.answer(problem);
    this.writeAnswerHead(answer);
    super.end(answer.body);
  }

  /** Answers without a handler. */
  send(answer: Answer): void {
    const { status, headers, body } = answer.body === "" ? answer : withLength(answer);
    super.writeHead(status, this.complete(headers));
    super.end(body);
    this.req.carrier?.look();
  }

  private sendInstead(discarded: Discarded): void {
    const answer = this.answerInstead(discarded);
    this.discarded = undefined;
    Object.assign(this, { _header: null, _last: false, statusMessage: "" });
    this.writeAnswerHead(answer, discarded.headers);
    this._send(this._hasBody ? answer.body : "", "utf8", (error: Error | null) => {
      for (const done of discarded.whenSent) done(error);
    });
  }

  /** Keeps the headers that were set before, except those that describe another body. */
  private writeAnswerHead({ status, headers }: Answer, given: OutgoingHttpHeaders = {}): void {
    for (const name of this.getHeaderNames()) if (describesBody(name)) super.removeHeader(name);
    for (const name of Object.keys(given)) if (describesBody(name)) delete given[name];
    super.writeHead(status, this.complete({ ...given, ...lowerNames(headers) }));
  }

  private answerInstead({ status, headers, body }: Discarded): Answer {
    const { refusal, match, method } = this.req;
    if (refusal) return this.answer(refusal);
    if (this.isMisrouted(status < 400 ? 404 : status)) {
      return method === "OPTIONS" ? answerOptions(this.req) : this.answer(methodNotAllowed(match?.allow ?? ""));
    }
    const bytes = decode(this.find("content-encoding", headers), Buffer.concat(body));
    const type = this.find("content-type", headers);
    const { detail, members, isList } = readDetails(type, bytes, status);
    // The answers to a batch: their client knows which request each of them is for.
    if (isList && status < 500) return withLength({ status, headers: { "Content-Type": type }, body: `${bytes}` });
    if (status >= 500) {
      // The client is told to see the log, and does not get what the app has said.
      log("error", "the app answered with a failure", {
        requestId: this.req.requestId,
        status,
        detail: detail || undefined,
      });
      return this.answer(createProblem(status));
    }
    const said = isPhrase(detail, status) || (status === 404 && isEcho(detail, this.req)) ? "" : detail;
    return this.answer(nameProblem(createProblem(status, said), members["code"]), members);
  }

  private answer(problem: Problem, members: object = {}): Answer {
    return withLength(writeAnswer(problem, this.req.requestId, members));
  }

  private mustChange(status: number, given?: Given): boolean {
    const { refusal, method } = this.req;
    if (refusal) return true;
    if (status < 400)
      return method === "OPTIONS" && status === 200 && this.isMisrouted(404) && this.find("allow", given) !== "";
    return this.isMisrouted(status) || !/^application\/problem\+json\b/.test(this.find("content-type", given));
  }

  private isMisrouted(status: number): boolean {
    const { match, method = "" } = this.req;
    return (
      !!match?.allow && (status === 404 || status === 405 || status === 501) && selectRoutes(match, method).length === 0
    );
  }

  private find(name: string, given: Given): string {
    const [, value = this.getHeader(name)] = toPairs(given).find(([one]) => one.toLowerCase() === name) ?? [];
    return String(value ?? "");
  }

  /** The headers of an answer, with those of every answer. */
  private complete(given: Given): OutgoingHttpHeaders {
    const headers = { ...this.own };
    for (const name of this.getHeaderNames()) if (name in headers) headers[name] = this.getHeader(name);
    Object.assign(headers, lowerNames(given));
    if (this.req.requestId) headers["x-request-id"] = this.req.requestId;
    if (headers["cache-control"] === "") {
      // An empty value switches the default off.
      delete headers["cache-control"];
      super.removeHeader("cache-control");
    }
    const { "content-length": length = this.getHeader("content-length") ?? "0" } = headers;
    if (!/^\d+$/.test(String(length))) {
      // A framework that counts the bytes of a stream finds NaN if it has strings.
      delete headers["content-length"];
      super.removeHeader("content-length");
    }
    // The answer depends on both, if a guard and a handler set it.
    const { vary } = this.own;
    if (vary && headers["vary"] !== vary) headers["vary"] = [vary, headers["vary"]].flat().join(", ");
    return headers;
  }
}

const { writeHead, end } = HttpResponse.prototype;

/** Makes a response and its request ours again, if a library has replaced their prototypes. */
export function restorePrototypes(res: HttpResponse): void {
  restorePrototype(res, HttpResponse);
  restorePrototype(res.req, HttpRequest);
}

/** The answer to OPTIONS, without a handler. */
export function answerOptions({ match, requestId }: HttpRequest): Answer {
  if (!match || match.routes.length === 0) return withLength(writeAnswer(notFound(), requestId));
  return { status: 204, headers: { Allow: match.allow || anyMethod }, body: "" };
}

function withLength({ status, headers, body }: Answer): Answer {
  return { status, headers: { ...headers, "Content-Length": `${Buffer.byteLength(body)}` }, body };
}

/** How many bytes of a failing answer are read for its details. */
const maxKept = 65_536;

function keep(discarded: Discarded, data: string | Uint8Array, encoding: unknown): void {
  const bytes = typeof data === "string" ? Buffer.from(data, encoding as BufferEncoding) : Buffer.from(data);
  discarded.size += bytes.length;
  if (discarded.size <= maxKept) discarded.body.push(bytes);
}

export const describesBody = (name: string) =>
  /^(cache-control$|content-(?!range$|security-)|transfer-encoding$|trailer$|etag$|last-modified$)/i.test(name);

/** Node accepts headers as an object, as a list of pairs, and as names and values in turn. */
function toPairs(given: Given): [string, OutgoingHttpHeader][] {
  if (!Array.isArray(given)) return Object.entries(given ?? {}) as [string, OutgoingHttpHeader][];
  if (Array.isArray(given[0])) return given as unknown as [string, OutgoingHttpHeader][];
  return given.flatMap((name, at) => (at % 2 === 0 ? [[String(name), given[at + 1] ?? ""]] : []));
}

/** By names in lower case, so that no header is sent twice. Most frameworks write them so. */
function lowerNames(given: Given): OutgoingHttpHeaders {
  if (!Array.isArray(given) && isLowerCase(given)) return given ?? {};
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of toPairs(given)) {
    const same = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = same === undefined ? value : [same, value].flat().map(String);
  }
  return headers;
}

function isLowerCase(headers: OutgoingHttpHeaders | undefined): boolean {
  for (const name in headers) if (name.charCodeAt(0) < 97) return false;
  return true;
}

/** The body before a package has compressed it; nothing, if that is unknown or it would be long. */
function decode(encoding: string, body: Buffer): Buffer {
  if (encoding === "") return body;
  try {
    return decoders[encoding]?.(body, { maxOutputLength: maxKept }) ?? Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  }
}

const decoders: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

interface Details {
  detail: string;
  members: Record<string, unknown>;
  /** Whether its JSON is a list. */
  isList?: boolean;
}

/** The details in the body of a failing answer that is not a problem: its text, or the members of its JSON. */
function readDetails(type: string, body: Buffer, status: number): Details {
  const text = body.toString();
  if (!/\bjson\b/.test(type))
    return { detail: /^text\/plain\b/.test(type) && text.length < 500 ? text : "", members: {} };
  try {
    return readBodyOfError(JSON.parse(text), status);
  } catch {
    return { detail: "", members: {} };
  }
}

/** What a body says, and its members. Those in which a framework repeats its status and its message are left out. */
function readBodyOfError(body: unknown, status: number): Details {
  if (Array.isArray(body)) return { detail: "", members: {}, isList: true };
  const { detail, statusCode, message, error, ...others } = toMembers(body);
  const said = [detail, message, error].map(joinTexts).find((text) => text !== "");
  const structured = message !== undefined && joinTexts(message) === "" ? { message } : {};
  const isOfFramework = (statusCode ?? others["status"]) === status;
  const own = error === STATUS_CODES[status] ? {} : { error };
  const members = isOfFramework ? { ...own, ...structured, ...others } : { statusCode, message, error, ...others };
  return { detail: said ?? "", members };
}

function toMembers(body: unknown): Record<string, unknown> {
  return typeof body === "object" && !Array.isArray(body) ? { ...body } : {};
}

/** The answer to anything that was thrown while a request was handled. `given` is the status that was set for the answer. */
export function toAnswer(error: unknown, req: object, given = 0): Answer {
  return writeAnswer(toProblem(error, req as HttpRequest, given), (req as HttpRequest).requestId);
}

/** The problem for a thrown error. An error that is not the client's fault is logged, and its details are not sent. */
export function toProblem(error: unknown, req: HttpRequest, given = 0): Problem {
  const problem = req.refusal ?? attempt(() => findClientsFault(error as Thrown, req, given));
  if (problem) return problem;
  log("error", "a request failed unexpectedly", { requestId: req.requestId, error });
  return attempt(() => findUnavailable(error as Thrown, given)) ?? createProblem(500);
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
function findUnavailable(error: Thrown, given: number): Problem | undefined {
  return findStatus(error ?? {}, given) === 503 ? unavailable(readHeaders(error ?? {})) : undefined;
}

/** The problem that an error of a framework, a plugin or a library describes. */
function findClientsFault(error: Thrown, req: HttpRequest, given: number): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error?.cause instanceof Problem) return error.cause;
  const status = findStatus(error ?? {}, given);
  const isParsers = error instanceof SyntaxError || (status === 400 && /JSON/.test(readDetail(error, status)));
  const malformed = isParsers ? findMalformedJson(req) : undefined;
  if (malformed) return malformed;
  if (isMalformedForm(error, req)) return new Problem("bad_request", "The body is not a well-formed form.");
  if (status >= 400 && status < 500) {
    const problem = createProblem(status, readDetail(error ?? {}, status), readMore(error ?? {}, status, req));
    return nameProblem(problem, (findBody(error ?? {}) as Thrown).code);
  }
  const isGone = req.isCutOff || (req.socket?.destroyed && goneCodes.includes(error?.code ?? ""));
  return isGone ? new Problem("bad_request", "The body did not arrive whole.") : undefined;
}

/** Whether `formData()` has refused the body. It refuses what another service has answered with the same message. */
function isMalformedForm({ message = "" }: Thrown, { headers }: HttpRequest): boolean {
  return (
    message.startsWith("Failed to parse body as FormData") && /^multipart\//i.test(headers?.["content-type"] ?? "")
  );
}

/** The status that was set for the answer, or that of the error. Some frameworks set the latter, also if another service has answered it. */
function findStatus(error: Thrown, given: number): number {
  const own = readStatus(error);
  if (own >= 400 && !isOfService(error)) return own;
  return given === own ? 0 : given;
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
  /** Where an error has members of its own for the client. */
  unhandled?: boolean;
  body?: unknown;
  data?: unknown;
  res?: Response;
  getResponse?(): unknown;
}

/**
 * Whether an error is what another service has answered, as its client throws it (axios, ofetch, Octokit, and those of many
 * services): it has the status and the headers of that answer, which are not meant for our client.
 */
function isOfService(error: Thrown): boolean {
  if (typeof error !== "object" || error === null || error.expose === true || error.getResponse) return false;
  return serviceMembers.some((name) => name in error) || String(error.code).startsWith("UND_ERR_");
}

const serviceMembers = ["response", "request", "requestID", "requestId", "request_id", "$metadata"];

function readStatus({ output, statusCode, status }: Thrown): number {
  const found = Number(output?.statusCode ?? statusCode ?? status ?? 0);
  return Number.isInteger(found) ? found : 0;
}

/** A message that was written for the client. A system error's message would contain a path. */
function readDetail(error: Thrown, status: number): string {
  if (error.expose === false || error.syscall) return "";
  const body = (error.getResponse?.() ?? error.output?.payload ?? {}) as { message?: unknown; error?: unknown };
  const reason = typeof body.error === "string" && error.getResponse ? body.error : undefined;
  const said = joinTexts(body.message ?? reason ?? error.message);
  return isPhrase(said, status) ? "" : said;
}

/** The text that a message is, or a list of texts; nothing for a value that people cannot read. */
function joinTexts(message: unknown): string {
  const texts = [message].flat();
  return texts.every((text) => typeof text === "string") ? texts.join("; ") : "";
}

/** Whether a text only names the status, in its words or with its number. */
function isPhrase(text: string, status: number): boolean {
  const rest = text.replace(/^(\d+|\w*Error(?= \d+$)) /, "");
  const title = STATUS_CODES[status] ?? "";
  return [title, String(status), title.toUpperCase().replaceAll(" ", "_")].includes(rest);
}

/** Whether a text repeats the request, as frameworks do at an unknown path: whoever sent it wrote a part of it. */
const isEcho = (text: string, { method = "", url = "" }: HttpRequest) => text.includes(method) && text.includes(url);

function readMore(
  error: Thrown,
  status: number,
  { method }: HttpRequest,
): { errors?: Fault[]; headers?: Record<string, string>; members: object } {
  const errors = readFaults(error, method !== "GET" && method !== "HEAD");
  return { headers: readHeaders(error), members: readMembers(error, status), ...(errors.length > 0 && { errors }) };
}

/** What else an error tells the client: the members of the body that its framework would send. */
function readMembers(error: Thrown, status: number): object {
  try {
    const text = JSON.stringify({ ...findBody(error), statusCode: status });
    return text.length > maxKept ? {} : readBodyOfError(JSON.parse(text), status).members;
  } catch {
    return {};
  }
}

/** The body that its framework would send. What validators add to it is listed as faults. */
function findBody(error: Thrown): object {
  const { output, body, data } = error;
  if (error.getResponse) return toMembers(error.getResponse());
  if (output) return { ...output.payload, error: undefined, validation: undefined };
  if (!("unhandled" in error) || error.unhandled) return {};
  return { ...toMembers(body), ...(Array.isArray(Object(data).issues) ? {} : { data }) };
}

/** The headers that an error was made with, or, of one that may not have been made for clients, those that belong to a failure. */
function readHeaders(error: Thrown): Record<string, string> {
  const { headers, output, res, expose } = error;
  // Errors of frameworks, and of libraries that make errors for clients.
  const isForClients = expose === true || output !== undefined || res !== undefined || "unhandled" in error;
  const entries = [headers, output?.headers, res?.headers].flatMap((one) =>
    one && Symbol.iterator in one ? [...(one as Headers)] : Object.entries(one ?? {}),
  );
  const sendable = entries.filter(([name, value]) => isSendable(name, String(value)));
  return Object.fromEntries(isForClients ? sendable : sendable.filter(([name]) => ofFailures.test(name)));
}

const ofFailures = /^(allow|retry-after|vary|content-range|(www|proxy|access-control)-.*|(x-)?ratelimit.*)$/i;

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
