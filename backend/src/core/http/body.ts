import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { malformedJson, notJson, Problem } from "../problem.ts";
import { HttpRequest } from "./request.ts";
import { createPassing, selectRoutes } from "./routes.ts";

/** The body as JSON. The headers are checked first: a body that they rule out is never requested. */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  expectJson(req);
  return parseJson(await readBody(req));
}

/** The raw bytes of the body, to verify a signature for example. They can be read more than once. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  return req instanceof HttpRequest ? req.bytes() : collected.getOrInsertComputed(req, collect);
}

/** Middleware that sets a larger or smaller body limit for a route: `app.post("/import", bodyLimit(5_000_000), …)`. */
export function bodyLimit(bytes: number) {
  return declare({ bodyLimit: bytes });
}

/** Middleware that lets the handler of a route take more or less time: `app.get("/report", handlerTimeout(60_000), …)`. */
export function handlerTimeout(milliseconds: number) {
  return declare({ handlerTimeout: milliseconds });
}

/** Middleware that leaves the body of a route to its handler, to read its bytes: `app.post("/hook", unreadBody, …)`. */
export const unreadBody = declare({ isUnread: true });

function declare<Limit extends object>(limit: Limit) {
  return Object.assign(createPassing(), limit);
}

export function isJson(req: IncomingMessage): boolean {
  if (req instanceof HttpRequest && req.isJson) return true;
  // No guard has seen a request that did not come over the network.
  const types = req instanceof HttpRequest ? /^application\/json\s*(;|$)/i : /^application\/([\w.-]+\+)?json\s*(;|$)/i;
  return types.test(req.headers["content-type"] ?? "");
}

/** Refuses a body by its headers. A plugin may have decoded it. */
export function expectJson(req: IncomingMessage, isDecoded = false): void {
  const { "content-type": type = "", "content-encoding": encoding, "idempotency-key": key } = req.headers;
  const [, charset = "utf-8"] = /;\s*charset="?([^";\s]*)/i.exec(type) ?? [];
  if (!isJson(req) || charset.toLowerCase() !== "utf-8") throw notJson();
  if (encoding !== undefined && !isDecoded)
    throw new Problem("unsupported_media_type", "Send the body without Content-Encoding.");
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key.toString()))
    throw new Problem("bad_request", "Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.");
}

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Problem("malformed_json", "The body is not valid UTF-8.");
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw malformedJson(explainMalformed(body, (error as Error).message));
  }
}

/** What is wrong with a body that a library has read and could not parse. */
export function findMalformedJson(req: IncomingMessage): Problem | undefined {
  const bytes = req instanceof HttpRequest && isJson(req) ? req.bytesRead : undefined;
  try {
    if (bytes) parseJson(bytes);
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

/** The position from V8's message, without the part of the body that it may quote. */
function explainMalformed(body: Buffer, message: string): string | undefined {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  if (line) return `see line ${line}, column ${column}`;
  const [, token] = /^Unexpected token '(.+?)'/su.exec(message) ?? [];
  if (token) return `unexpected ${JSON.stringify(token)}`;
  return body.length === 0 ? "it is empty" : undefined;
}

const collected = new WeakMap<IncomingMessage, Promise<Buffer>>();

/** For requests that did not come over the network, like those that a framework injects in a test. */
async function collect(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Sets `holder.body` to the JSON body of a request to a route. Other bodies are left to other readers. */
export async function readInto(
  holder: { body?: unknown },
  req: IncomingMessage,
  isMeant: (req: IncomingMessage) => boolean = isForRoute,
): Promise<void> {
  if (!hasJson(req) || !isMeant(req)) return;
  try {
    holder.body = await readJson(req);
  } catch (problem) {
    // Content of a DELETE has no defined meaning (RFC 9110, section 9.3.5).
    if (req.method !== "DELETE") throw problem;
  }
}

/** The JSON that was read into `body`. A request without it is refused. */
export function takeJson(req: IncomingMessage, body: unknown): unknown {
  expectJson(req);
  // Some parsers return an object if there is no body.
  return hasBody(req) ? body : parseJson(Buffer.alloc(0));
}

/** Whether a request has a body that is declared as JSON. */
export function hasJson(req: IncomingMessage): boolean {
  return hasBody(req) && isJson(req);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
}

/** A body without a route that accepts it is not read. */
export function isForRoute(req: IncomingMessage): boolean {
  const { method = "GET" } = req;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return false;
  if (!(req instanceof HttpRequest) || !req.match) return true;
  const routes = selectRoutes(req.match, method);
  return routes.length > 0 && !routes.some(({ isUnread }) => isUnread);
}

const converted = new WeakMap<Request, IncomingMessage>();

/** A web request in the form of Node's, for an app that is called without a server, as in a test. */
export function toNodeRequest(request: Request): IncomingMessage {
  return converted.getOrInsertComputed(request, convert);
}

function convert(request: Request): IncomingMessage {
  const { pathname, search } = new URL(request.url);
  // A copy: the framework's own readers need the body, too.
  const { body: copy } = request.clone();
  const body = copy ? Readable.fromWeb(copy as ReadableStream) : Readable.from([]);
  const headers = Object.fromEntries(request.headers);
  const rawHeaders = [...request.headers].flat();
  const members = { method: request.method, url: pathname + search, headers, rawHeaders };
  return Object.assign(body, members) as unknown as IncomingMessage;
}
