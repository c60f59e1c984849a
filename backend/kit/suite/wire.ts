import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import zlib from "node:zlib";
import { RateLimited } from "./skipped.ts";

export interface Reply {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** No answer is longer. */
const mostBytes = 2 ** 22;

/** A connection that sends raw bytes: a client library would not send malformed requests. */
export class Wire {
  readonly socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #error: Error | undefined;
  #wake = () => {};

  constructor(url: string) {
    this.socket = open(new URL(url));
    this.socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      if (this.#received.length > mostBytes) this.socket.destroy();
      this.#wake();
    });
    this.socket.on("error", (error) => {
      this.#error = error;
    });
    this.socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  send(bytes: string | Buffer): this {
    this.socket.write(Buffer.from(bytes as string, "latin1"));
    return this;
  }

  /** The next answer; to a HEAD request it has no body whatever its headers say. */
  async reply({ isHead = false, timeoutMs = 15_000 } = {}): Promise<Reply> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (this.#received.length > mostBytes) throw new Error(`more than ${mostBytes} bytes: ${this.#beginning}`);
      const taken = takeReply(this.#received, isHead, this.#isClosed);
      if (taken) {
        this.#received = taken.rest;
        if (taken.reply.status === 429) throw new RateLimited(taken.reply.headers);
        return taken.reply;
      }
      if (this.#isClosed)
        throw new Error(`closed without a complete answer (${this.#error ?? "FIN"}): ${this.#beginning}`);
      if (Date.now() > deadline) throw new Error(`no complete answer after ${timeoutMs} ms: ${this.#beginning}`);
      await this.#change(deadline);
    }
  }

  /** The next answer. Of one that streams, only what arrives in a moment. */
  async beginning(patienceMs = 1000): Promise<Reply & { isWhole: boolean }> {
    const head = await this.reply({ isHead: true });
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const body = hasBody(head.status) ? takeBody(this.#received, head.headers, this.#isClosed) : { text: "" };
      if (body) return { ...head, body: body.text, isWhole: true };
      if (this.#isClosed || Date.now() > deadline) return { ...head, isWhole: false };
      await this.#change(deadline);
    }
  }

  /** Whether no more bytes can arrive. */
  get isClosed(): boolean {
    return this.#isClosed || this.socket.readableEnded;
  }

  /** The bytes after the answers that were read so far. */
  get rest(): string {
    return this.#received.toString("latin1");
  }

  get #beginning(): string {
    return this.#received.toString("latin1", 0, 1000);
  }

  /** Resolves when the other side has closed; rejects if it was a reset. */
  async closed(timeoutMs = 15_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!this.#isClosed && Date.now() < deadline) await this.#change(deadline);
    if (this.#error) throw this.#error;
    if (!this.#isClosed) throw new Error(`still open after ${timeoutMs} ms`);
  }

  end(): void {
    this.socket.destroy();
  }

  #change(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadline - Date.now());
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol === "http:") return connect({ host, port: Number(port || 80), noDelay: true });
  const name = isIP(host) ? {} : { servername: host };
  const socket = connectSecurely({ host, port: Number(port || 443), ...name, ALPNProtocols: ["http/1.1"] });
  return socket.setNoDelay();
}

function takeReply(bytes: Buffer, isHead: boolean, isClosed: boolean): { reply: Reply; rest: Buffer } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1]);
  // Early hints and the like: the answer follows. A check asks for 100 itself, and after 101 there is none.
  if (status > 101 && status < 200) return takeReply(bytes.subarray(end + 4), isHead, isClosed);
  const headers = Object.fromEntries(lines.map((line) => splitHeader(line)));
  const after = bytes.subarray(end + 4);
  const body = !isHead && hasBody(status) ? takeBody(after, headers, isClosed) : { text: "", rest: after };
  return body && { reply: { status, headers, body: body.text }, rest: body.rest };
}

const hasBody = (status: number) => status >= 200 && status !== 204 && status !== 304;

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function takeBody(
  bytes: Buffer,
  headers: Record<string, string>,
  isClosed: boolean,
): { text: string; rest: Buffer } | undefined {
  if (headers["transfer-encoding"] === "chunked") return takeChunks(bytes, headers);
  const length = Number(headers["content-length"] ?? (isClosed ? bytes.length : Number.POSITIVE_INFINITY));
  if (bytes.length < length) return undefined;
  return { text: decodeText(bytes.subarray(0, length), headers), rest: bytes.subarray(length) };
}

/** The text of a body, which a plugin may have compressed. */
function decodeText(bytes: Buffer, { "content-encoding": encoding = "" }: Record<string, string>): string {
  const decompress = decompressions[encoding];
  return (decompress && bytes.length > 0 ? decompress(bytes) : bytes).toString("utf8");
}

const decompressions: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  deflate: zlib.inflateSync,
  gzip: zlib.gunzipSync,
  // Node 20, which may run dory check, does not have it.
  zstd: zlib.zstdDecompressSync,
};

function takeChunks(bytes: Buffer, headers: Record<string, string>): { text: string; rest: Buffer } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return { text: decodeText(Buffer.concat(parts), headers), rest: bytes.subarray(start + 2) };
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
