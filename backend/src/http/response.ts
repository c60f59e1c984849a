import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse, STATUS_CODES } from "node:http";
import { keepVary } from "../features/cors/cors.ts";
import { answerWith, methodNotAllowed, type Problem, problemOf } from "../problem.ts";
import type { HttpRequest } from "./request.ts";
import { taking } from "./routes.ts";

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

/**
 * A response that meets the contract, whatever writes it. A failing answer that is not a problem becomes one. Where the
 * path has other methods, a router's 404 becomes a 405, or the answer to OPTIONS.
 */
export class HttpResponse extends ServerResponse<HttpRequest> {
  /** Headers of every answer, unless its writer sets them. Node would write all headers more slowly after `setHeader`. */
  readonly own: OutgoingHttpHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  /** An answer that is being written, and will be replaced. */
  private held: { status: number; headers: [string, OutgoingHttpHeader][]; body: Buffer[] } | undefined;
  private isFinal = false;

  override writeHead(status: number, ...rest: (string | Given)[]): this {
    const given = rest.find((one) => typeof one === "object") as Given;
    if (this.isFinal || !this.mustChange(status, given)) return super.writeHead(status, this.complete(given));
    this.held = { status, headers: pairsOf(given), body: [] };
    return this;
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (!this.isHeld()) return super.write(chunk, ...(rest as [BufferEncoding]));
    this.keep(chunk, rest);
    return true;
  }

  override end(...args: unknown[]): this {
    if (!this.isHeld()) return super.end(...(args as [unknown, BufferEncoding]));
    const done = args.find((one) => typeof one === "function") as (() => void) | undefined;
    if (done) this.once("finish", done);
    if (args[0] && typeof args[0] !== "function") this.keep(args[0], [args[1]]);
    return this.release();
  }

  /** Answers with a problem instead of anything else. */
  fail(problem: Problem, members: object = {}): this {
    const { status, headers, body } = answerWith(problem, this.req.requestId, members);
    return this.replaceBy(status, { ...headers, "Content-Length": Buffer.byteLength(body) }, body);
  }

  private replaceBy(status: number, headers: OutgoingHttpHeaders, body?: string): this {
    for (const name of this.getHeaderNames()) if (describesBody(name)) this.removeHeader(name);
    this.held = undefined;
    this.isFinal = true;
    return this.writeHead(status, headers).end(body);
  }

  /** Whether the answer is held back. Its status is in `statusCode` if `writeHead` was not called. */
  private isHeld(): boolean {
    if (!this.headersSent && !this.held && !this.isFinal && this.mustChange(this.statusCode))
      this.writeHead(this.statusCode);
    return this.held !== undefined;
  }

  private mustChange(status: number, given?: Given): boolean {
    const { refusal, method } = this.req;
    if (refusal) return true;
    if (status < 400)
      return method === "OPTIONS" && status === 200 && this.isMisrouted(404) && this.has("allow", given);
    return this.isMisrouted(status) || !/^application\/problem\+json\b/.test(this.find("content-type", given));
  }

  private isMisrouted(status: number): boolean {
    const { match, method = "" } = this.req;
    return !!match?.allow && (status === 404 || status === 405 || status === 501) && taking(match, method).length === 0;
  }

  private find(name: string, given: Given): string {
    const [, value = this.getHeader(name)] = pairsOf(given).find(([one]) => one.toLowerCase() === name) ?? [];
    return String(value ?? "");
  }

  private has(name: string, given: Given): boolean {
    return this.find(name, given) !== "";
  }

  /** The headers of an answer, with those of every answer. */
  private complete(given: Given): OutgoingHttpHeaders {
    const headers = { ...this.own };
    for (const name of this.getHeaderNames()) if (name in headers) headers[name] = this.getHeader(name);
    if (this.req.requestId) headers["x-request-id"] = this.req.requestId;
    Object.assign(headers, byName(given));
    keepVary(headers, this.own);
    return headers;
  }

  private keep(chunk: unknown, rest: unknown[]): void {
    const encoding = typeof rest[0] === "string" ? (rest[0] as BufferEncoding) : "utf8";
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk as Uint8Array);
    if (bytes.length < maxHeld) this.held?.body.push(bytes);
    for (const done of rest) if (typeof done === "function") queueMicrotask(() => done());
  }

  private release(): this {
    const { refusal, match, method } = this.req;
    const { status = 500, headers = [], body = [] } = this.held ?? {};
    if (refusal) return this.fail(refusal);
    if (this.isMisrouted(status < 400 ? 404 : status)) {
      const allow = match?.allow ?? "";
      return method === "OPTIONS" ? this.replaceBy(204, { Allow: allow }) : this.fail(methodNotAllowed(allow));
    }
    for (const [name, value] of headers) this.setHeader(name, value as string);
    const { detail = "", ...members } =
      status < 500 ? detailsIn(this.find("content-type", undefined), Buffer.concat(body)) : {};
    const isPhrase = detail.replace(/^\d+ /, "") === STATUS_CODES[status];
    return this.fail(problemOf(status, isPhrase ? "" : detail), members);
  }
}

/** Longer chunks of a failing answer are not read for its details. */
const maxHeld = 65_536;

const describesBody = (name: string) =>
  /^(content-|transfer-encoding$|etag$|last-modified$|accept-ranges$)/i.test(name);

/** Node accepts headers as an object, as a list of pairs, and as names and values in turn. */
function pairsOf(given: Given): [string, OutgoingHttpHeader][] {
  if (!Array.isArray(given)) return Object.entries(given ?? {}) as [string, OutgoingHttpHeader][];
  if (Array.isArray(given[0])) return given as unknown as [string, OutgoingHttpHeader][];
  return given.flatMap((name, at) => (at % 2 === 0 ? [[String(name), given[at + 1] ?? ""]] : []));
}

/** By names in lower case, so that no header is sent twice. Most frameworks write them so. */
function byName(given: Given): OutgoingHttpHeaders {
  if (!Array.isArray(given) && isLowerCase(given)) return given ?? {};
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of pairsOf(given)) {
    const same = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = same === undefined ? value : [same, value].flat().map(String);
  }
  return headers;
}

function isLowerCase(headers: OutgoingHttpHeaders | undefined): boolean {
  for (const name in headers) if (name.charCodeAt(0) < 97) return false;
  return true;
}

/** The details in the body of a failing answer that is not a problem: its text, or the members of its JSON. */
function detailsIn(type: string, body: Buffer): { detail?: string } & object {
  const text = body.toString();
  if (!/\bjson\b/.test(type)) return /^text\/plain\b/.test(type) && text.length < 500 ? { detail: text } : {};
  try {
    const { detail, message, error, ...members } = JSON.parse(text);
    const said = [detail, message, error].find((one) => typeof one === "string" || Array.isArray(one));
    return { detail: [said ?? ""].flat().join("; "), ...members, ...(typeof error === "object" && { error }) };
  } catch {
    return {};
  }
}
