import { connect, isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";

export interface Reply {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

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
      const taken = takeReply(this.#received, isHead, this.#isClosed);
      if (taken) {
        this.#received = taken.rest;
        return taken.reply;
      }
      if (this.#isClosed)
        throw new Error(`closed without a complete answer (${this.#error ?? "FIN"}): ${this.#received}`);
      if (Date.now() > deadline) throw new Error(`no complete answer after ${timeoutMs} ms: ${this.#received}`);
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

  /** Resolves when the other side has closed; rejects if it was a reset. */
  async closed(timeoutMs = 5000): Promise<void> {
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
  const headers = Object.fromEntries(lines.map((line) => splitHeader(line)));
  const after = bytes.subarray(end + 4);
  const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
  const body = hasBody ? takeBody(after, headers, isClosed) : { text: "", rest: after };
  return body && { reply: { status, headers, body: body.text }, rest: body.rest };
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function takeBody(
  bytes: Buffer,
  headers: Record<string, string>,
  isClosed: boolean,
): { text: string; rest: Buffer } | undefined {
  if (headers["transfer-encoding"] === "chunked") return takeChunks(bytes);
  const length = Number(headers["content-length"] ?? (isClosed ? bytes.length : Number.POSITIVE_INFINITY));
  if (bytes.length < length) return undefined;
  return { text: bytes.toString("utf8", 0, length), rest: bytes.subarray(length) };
}

function takeChunks(bytes: Buffer): { text: string; rest: Buffer } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString("utf8"), rest: bytes.subarray(start + 2) };
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
