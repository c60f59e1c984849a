import { IncomingMessage } from "node:http";
import { Problem } from "../problem.ts";
import type { Match } from "./routes.ts";

/** Node's request, which counts the bytes of its body for any reader, and keeps them for a second reader. */
export class HttpRequest extends IncomingMessage {
  requestId = "";
  /** The routes at its path, as the framework's router has them. */
  match: Match | undefined;
  bodyLimit = 0;
  /** Why the body is refused. It is the answer, whatever a handler does with the error. */
  refusal: Problem | undefined;
  /** Requests a body that the client holds back until then (`100 Continue`). */
  askForBody: (() => void) | undefined;
  /** When its handler started, and when its last byte arrived. */
  startedAt = 0;
  endedAt = 0;
  /** The connection, which is notified when the last byte has arrived. */
  carrier: { touch(): void } | undefined;
  private chunks: Buffer[] | undefined;
  private size = 0;
  private isAskedFor = false;
  private reader: { stack?: string } | undefined;

  /** Node's parser calls this with arrived bytes; `null` is the end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.end();
    // Refused bytes are discarded, so that a client that is still sending gets the answer and not a reset.
    else if (this.refusal) return true;
    else if (this.count(chunk) > this.bodyLimit && this.isAskedFor) return this.refuse();
    return super.push(chunk, encoding);
  }

  /** Every reader calls this, also when the whole body has already arrived. */
  override read(size?: number): unknown {
    if (!this.isAskedFor) {
      this.isAskedFor = true;
      const declared = Number(this.headers["content-length"] ?? 0);
      if (Math.max(declared, this.size) > this.bodyLimit) this.refuse();
      else this.askForBody?.();
    }
    return super.read(size);
  }

  /** A refused body does not close the connection. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.refusal) done(this.listenerCount("error") > 0 ? error : null);
    else super._destroy(error, done);
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    if (event === "data" || event === "readable") this.recordReader();
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  override [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer> {
    this.recordReader();
    return super[Symbol.asyncIterator]() as NodeJS.AsyncIterator<Buffer>;
  }

  /** All bytes of the body, from memory if they were already read. */
  async bytes(): Promise<Buffer> {
    if (!this.readableEnded) await this.readToEnd();
    return this.whole;
  }

  /** The same, synchronously; undefined until the body was read to its end. */
  get bytesRead(): Buffer | undefined {
    return this.readableEnded ? this.whole : undefined;
  }

  private get whole(): Buffer {
    const [first, second] = this.chunks ?? [];
    return first && !second ? first : Buffer.concat(this.chunks ?? []);
  }

  /** Whether the client disconnected before the end of the request. */
  get isCutOff(): boolean {
    return !this.complete && this.socket.destroyed;
  }

  private end(): void {
    this.endedAt = performance.now();
    this.carrier?.touch();
  }

  private count(chunk: Buffer): number {
    this.chunks ??= [];
    this.chunks.push(chunk);
    this.size = (this.size ?? 0) + chunk.length;
    return this.size;
  }

  private refuse(): true {
    this.refusal = new Problem("body_too_large", `The body may have at most ${this.bodyLimit} bytes.`);
    this.chunks = undefined;
    // Node has stopped reading the connection if many bytes arrived before the body was read.
    this._read(0);
    // Some readers handle the error only once the body has ended.
    this.once("close", () => this.emit("end"));
    this.destroy(this.refusal);
    return true;
  }

  private readToEnd(): Promise<void> {
    this.reader ??= core;
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(this.refusal ?? new Problem("bad_request", "The body did not arrive whole."));
      super.on("end", resolve);
      super.on("error", reject);
      super.on("close", () => this.readableEnded || giveUp());
      if (this.destroyed) giveUp();
      super.on("data", () => {});
    });
  }

  /** Records the first reader. A second one would wait forever for events of a stream that has ended. */
  private recordReader(): void {
    if (this.readableEnded && this.reader)
      throw new Error(
        `The body of this request was read already, by ${nameOf(this.reader)}. readBody(req) returns its bytes again.`,
      );
    this.reader ??= new Error();
  }
}

/** The reader behind `readJson` and `readBody`. */
const core = { stack: "at readBody" };

function nameOf({ stack = "" }: { stack?: string }): string {
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
