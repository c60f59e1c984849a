import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { log } from "../log.ts";
import { bodyTooLarge, malformedJson, notJson, Problem, unavailable } from "../problem.ts";
import type { Match } from "./routes.ts";

/** Node's request, which counts the bytes of its body for any reader, and keeps them for a second reader. */
export class HttpRequest extends IncomingMessage {
  /** Whether its connection is passed to the app. Node sets it. */
  declare upgrade: boolean | null;
  requestId = "";
  /** The routes at its path, as the framework's router has them. */
  match: Match | undefined;
  bodyLimit = 0;
  handlerTimeoutMs = 0;
  /** Why the body is refused. It is the answer, whatever a handler does with the error. */
  refusal: Problem | undefined;
  /** Whether a guard knows its body as JSON, though it has another media type. */
  isJson = false;
  /** Requests a body that the client holds back until then (`100 Continue`). */
  askForBody: (() => void) | undefined;
  /** When its handler started, and when its last byte arrived. */
  startedAt = 0;
  endedAt = 0;
  /** Further members of its line in the log, as JSON. */
  logMembers = "";
  /** The connection, which is notified when bytes of the body arrive or are not kept any more, of the last one, and of an answer. */
  carrier: { touch(): void; keep(bytes: number): void; look(): void } | undefined;
  /** What is counted for it and its body. */
  heldBytes = 0;
  private chunks: Buffer[] | undefined;
  private size = 0;
  private isAskedFor = false;
  private isReleased = false;
  private isWhole = false;
  private arriving: Promise<void> | undefined;
  private whenWhole: (() => void) | undefined;
  private reader: { stack?: string } | undefined;

  constructor(socket: Socket) {
    super(socket);
    // They stay when a library replaces the prototype.
    Object.assign(this, { push, read });
  }

  /** Node's parser calls this with arrived bytes; `null` is the end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    restorePrototype(this, HttpRequest);
    if (chunk === null) this.end();
    // Refused bytes are discarded, so that a client that is still sending gets the answer and not a reset.
    else if (this.refusal) return this.count(chunk) > 0;
    else if (this.count(chunk) > this.bodyLimit && this.isAskedFor) return this.refuse();
    // Node stops reading the connection if this is false.
    return super.push(chunk, encoding) || this.arriving !== undefined;
  }

  /** Every reader calls this, also when the whole body has already arrived. */
  override read(size?: number): unknown {
    restorePrototype(this, HttpRequest);
    this.ask();
    return super.read(size);
  }

  /** A refused body does not close the connection. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.refusal) super._destroy(error, done);
    else if (this.listenerCount("error") === 0) done(null);
    else {
      // Who listens now may have stopped when the error is emitted.
      super.on("error", () => {});
      done(error);
    }
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    if (event === "data") this.recordReader();
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  override [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer> {
    this.recordReader();
    return super[Symbol.asyncIterator]() as NodeJS.AsyncIterator<Buffer>;
  }

  /** All bytes of the body. They stay in the stream: a library that reads it later gets them, too. */
  async bytes(): Promise<Buffer> {
    this.arriving ??= this.isRead ? Promise.resolve() : this.arrival();
    await this.arriving;
    if (this.isReleased) throw new Error("The body is not kept any more: it is long, or the request was answered.");
    return this.whole;
  }

  /** The same, synchronously; undefined until somebody has read the whole body. */
  get bytesRead(): Buffer | undefined {
    return this.isRead && !this.isReleased ? this.whole : undefined;
  }

  /** Whether somebody has read the whole body. */
  get isRead(): boolean {
    return this.readableEnded || (this.isWhole && this.reader === core);
  }

  /** In one piece, and kept only so. */
  private get whole(): Buffer {
    const [first = Buffer.alloc(0), second] = this.chunks ?? [];
    if (!second) return first;
    const whole = Buffer.concat(this.chunks ?? []);
    this.chunks = [whole];
    return whole;
  }

  /** How many bytes the client has sent, approximately. */
  countBytes(): number {
    let bytes = 20 + (this.url?.length ?? 0) + this.size;
    for (const text of this.rawHeaders) bytes += text.length + 2;
    return bytes;
  }

  /** Keeps nothing of the body for a second reader. */
  release(): void {
    this.isReleased = true;
    this.hold(-this.heldBytes);
    this.chunks = undefined;
  }

  /** Counts bytes that are kept for it or, if negative, not any more. */
  hold(bytes: number): void {
    this.heldBytes += bytes;
    this.carrier?.keep(bytes);
  }

  /** Refuses a body that is still arriving, because memory is short. */
  giveUp(): void {
    this.refusal ??= unavailable();
    this.discard();
  }

  /** Also frees what the stream keeps as long as nobody reads it: a refused connection stays open for a while. */
  private discard(): void {
    // Chunk by chunk: in one piece they would be copied.
    if (!this.isAskedFor || this.reader === core) for (const { length } of this.chunks ?? []) super.read(length);
    this.release();
  }

  /** Whether the client disconnected before the end of the request. */
  get isCutOff(): boolean {
    return !this.complete && this.socket.destroyed;
  }

  private ask(): void {
    if (this.isAskedFor) return;
    this.isAskedFor = true;
    const declared = Number(this.headers["content-length"] ?? 0);
    if (Math.max(declared, this.size) > this.bodyLimit) this.refuse();
    else this.askForBody?.();
  }

  private end(): void {
    this.endedAt = performance.now();
    this.carrier?.touch();
    this.isWhole = true;
    this.announceWhole();
  }

  /** A library that reads the stream at the same time, like a hook that keeps the raw body, gets its end first. */
  private announceWhole(): void {
    const { whenWhole } = this;
    if (!whenWhole) return;
    if (this.reader !== core && this.readableFlowing && !this.readableEnded) super.on("end", whenWhole);
    else whenWhole();
  }

  private count(chunk: Buffer): number {
    this.size = (this.size ?? 0) + chunk.length;
    if (this.isReleased) return this.size;
    this.chunks ??= [];
    this.chunks.push(chunk);
    this.hold(chunk.length + chunkBytes);
    // Somebody reads it as a stream.
    if (this.size > maxKept && this.reader !== core) this.release();
    return this.size;
  }

  private refuse(): true {
    this.refusal = bodyTooLarge(this.bodyLimit);
    this.discard();
    // Node has stopped reading the connection if many bytes arrived before the body was read.
    this._read(0);
    // Some readers handle the error only once the body has ended.
    this.once("close", () => this.emit("end"));
    this.destroy(this.refusal);
    return true;
  }

  private arrival(): Promise<void> {
    this.reader ??= core;
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(this.refusal ?? new Problem("bad_request", "The body did not arrive whole."));
      this.whenWhole = resolve;
      super.on("error", reject);
      super.on("close", giveUp);
      if (this.destroyed) giveUp();
      this.ask();
      if (this.isWhole && !this.refusal) this.announceWhole();
      // Node has stopped reading the connection if many bytes arrived before.
      else this._read(0);
    });
  }

  /** Records the first reader. A later one gets no bytes, as always in Node; the log says why. */
  private recordReader(): void {
    if (this.readableEnded && this.reader)
      log("warn", "a body was read twice: the second reader gets nothing, but readBody(req) returns the bytes again", {
        requestId: this.requestId,
        first: findCall(this.reader),
        second: findCall(new Error()),
      });
    this.reader ??= new Error();
  }
}

const { push, read } = HttpRequest.prototype;

/** Makes a message ours again, if a library has replaced its prototype, as some frameworks do, also those of mounted apps. */
export function restorePrototype(message: object, ours: Class): void {
  if (!(message instanceof ours)) putBelow(Object.getPrototypeOf(message), ours);
}

/** Puts our prototype below that of a library, above Node's. What is between them is copied: apps without the server share it. */
export function putBelow(theirs: object, ours: Class): void {
  if (theirs instanceof ours) return;
  const copyOnto = (link: object | null): object =>
    link === null || link === Object.getPrototypeOf(ours.prototype)
      ? ours.prototype
      : Object.create(copyOnto(Object.getPrototypeOf(link)), Object.getOwnPropertyDescriptors(link));
  Object.setPrototypeOf(theirs, copyOnto(Object.getPrototypeOf(theirs)));
}

type Class = abstract new (...args: never[]) => object;

/** What a chunk takes beyond its bytes. A client may send each byte in its own. */
const chunkBytes = 256;
/** How many bytes that others have read are kept for a second reader. */
const maxKept = 1_048_576;

/** The reader behind `readJson` and `readBody`. */
const core = { stack: "at readBody" };

function findCall({ stack = "" }: { stack?: string }): string {
  const calls = stack.split("\n").filter((line) => /^\s*at /.test(line) && !internal.test(line));
  return calls[0]?.replace(/^\s*at /, "") ?? "someone";
}

const internal = /node:|\/http\/request\.|HttpRequest\.(on|recordReader)/;

/** Libraries read the bytes here, or set them. They disagree about the type, so the class does not declare it. */
Object.defineProperty(HttpRequest.prototype, "rawBody", {
  configurable: true,
  get(this: HttpRequest) {
    return this.bytesRead;
  },
  set(this: HttpRequest, value: unknown) {
    Object.defineProperty(this, "rawBody", { configurable: true, writable: true, value });
  },
});

/** Sets the id of a request: the client's, if it is safe to log. */
export function identify(req: IncomingMessage): string {
  const sent = req.headers["x-request-id"]?.toString();
  if (sent && /^[\w.:-]{1,128}$/.test(sent)) return sent;
  const id = randomUUID();
  replaceHeader(req, "x-request-id", id);
  return id;
}

/** Normalises a request so that all frameworks read it the same way; returns a problem if they would disagree. */
export function normalise(req: IncomingMessage): Problem | undefined {
  const { headers, httpVersion } = req;
  const hosts = countHeader(req, "host");
  if (httpVersion === "1.0" ? hosts > 1 : httpVersion !== "1.1" || hosts !== 1)
    return new Problem("bad_request", "Use HTTP/1.1 and send one Host header.");
  if (!headers.host) replaceHeader(req, "host", "localhost");
  else if (!isAuthority(headers.host)) return new Problem("bad_request", "The Host header is not a valid host.");
  const { "transfer-encoding": coding } = headers;
  if (coding !== undefined && (coding.toLowerCase() !== "chunked" || httpVersion === "1.0"))
    return new Problem("bad_request", "The only supported Transfer-Encoding is chunked, with HTTP/1.1.");
  return req.url?.startsWith("/") ? undefined : readAbsolute(req);
}

/** How often a header was sent: Node keeps only the first of some headers. */
export function countHeader({ rawHeaders = [] }: IncomingMessage, header: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === header.length && name.toLowerCase() === header) count++;
  }
  return count;
}

/** RFC 9112, section 3.2.2: a server must also accept the absolute form of a target. */
function readAbsolute(req: IncomingMessage): Problem | undefined {
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(req.url ?? "") ?? [];
  if (authority === undefined) return undefined;
  if (!isAuthority(authority)) return new Problem("bad_request", "The host in the request target is not valid.");
  req.url = rest.startsWith("/") ? rest : `/${rest}`;
  return undefined;
}

let lastAuthority = "";

/** Most requests have the same host as the one before. */
function isAuthority(host: string): boolean {
  if (host === lastAuthority) return true;
  const parts = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(host);
  const isValid = parts !== null && Number(parts[1] ?? 0) <= 65_535 && URL.canParse(`http://${host}`);
  if (isValid) lastAuthority = host;
  return isValid;
}

/** Some frameworks read `headers`, some `rawHeaders`. Node counts the latter, so none of them may be removed. */
export function replaceHeader(req: IncomingMessage, name: string, value: string): void {
  const { headers, rawHeaders = [] } = req;
  let isThere = false;
  for (let at = 0; at < rawHeaders.length && headers[name] !== undefined; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    [rawHeaders[at], rawHeaders[at + 1]] = isThere ? ["x-repeated", ""] : [name, value];
    isThere = true;
  }
  if (!isThere) rawHeaders.push(name, value);
  headers[name] = value;
}

/** The body as JSON. The headers are checked first: a body that they rule out is never requested. */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  expectJson(req);
  return parseInTurn(await readBody(req));
}

/** Values can take twenty times the memory of their JSON: of bodies that arrived together, the next are parsed when these are handled. */
export async function parseInTurn(body: Buffer): Promise<unknown> {
  while (parsedBytes > 0 && parsedBytes + body.length > maxParsedInTurn) await nextTurn;
  parsedBytes += body.length;
  nextTurn ??= setImmediate().then(() => {
    parsedBytes = 0;
    nextTurn = undefined;
  });
  return parseJson(body);
}

const maxParsedInTurn = 262_144;
let parsedBytes = 0;
let nextTurn: Promise<void> | undefined;

/** The raw bytes of the body, to verify a signature for example. They can be read more than once. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  return req instanceof HttpRequest ? req.bytes() : collected.getOrInsertComputed(req, collect);
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

/**
 * Sets `holder.body` to the JSON body of a request. Other bodies are left to other readers. As with the parsers of packages,
 * an empty body is an empty object, and one that is compressed is decoded, unless a schema validates it: `takeJson` refuses both.
 */
export async function readInto(holder: { body?: unknown }, req: IncomingMessage, isValidated: boolean): Promise<void> {
  if (!hasJson(req)) {
    if (isJson(req) && req.headers["content-length"] === "0") holder.body = {};
    return;
  }
  try {
    const isDecoded = req.headers["content-encoding"] !== undefined && !isValidated;
    holder.body = isDecoded ? await readEncoded(req) : await readJson(req);
  } catch (problem) {
    // Content of a DELETE has no defined meaning (RFC 9110, section 9.3.5).
    if (req.method !== "DELETE") throw problem;
  }
}

async function readEncoded(req: IncomingMessage): Promise<unknown> {
  const decode = decoders[req.headers["content-encoding"]?.toLowerCase() ?? ""];
  // Refused by its headers, if nothing can decode it.
  expectJson(req, decode !== undefined);
  const maxOutputLength = req instanceof HttpRequest ? req.bodyLimit : undefined;
  const bytes = await readBody(req);
  const decoded = await decode?.(bytes, { maxOutputLength }).catch(({ code }) => {
    if (code === "ERR_BUFFER_TOO_LARGE") throw bodyTooLarge(maxOutputLength ?? 0);
    throw new Problem("bad_request", "The body cannot be decoded: it is not what Content-Encoding says.");
  });
  return parseInTurn(decoded ?? bytes);
}

type Decode = (body: Buffer, options: { maxOutputLength: number | undefined }) => Promise<Buffer>;

const decoders: Record<string, Decode> = {
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  gzip: promisify(gunzip),
};

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

const converted = new WeakMap<Request, IncomingMessage>();

/** A web request in the form of Node's, for an app that is called without a server, as in a test. */
export function toNodeRequest(request: Request): IncomingMessage {
  return converted.getOrInsertComputed(request, convert);
}

function convert(request: Request): IncomingMessage {
  const { pathname, search } = new URL(request.url);
  // A copy: the framework's own readers need the body, too. What one of them has read cannot be copied.
  const copy = request.bodyUsed ? null : request.clone().body;
  const body = copy ? Readable.fromWeb(copy as ReadableStream) : Readable.from([]);
  const headers = Object.fromEntries(request.headers);
  const rawHeaders = [...request.headers].flat();
  const members = { method: request.method, url: pathname + search, headers, rawHeaders };
  return Object.assign(body, members) as unknown as IncomingMessage;
}
