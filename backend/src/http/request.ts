import { IncomingMessage } from "node:http";
import { Problem } from "../problem.ts";
import type { Match } from "./routes.ts";

/** A request as Node parses it. It counts the bytes of its body, whoever reads them, and keeps them for a second reader. */
export class HttpRequest extends IncomingMessage {
  requestId = "";
  /** The routes at its path, as the framework's router has them. */
  match: Match | undefined;
  bodyLimit = 0;
  /** Why the body is refused. It is the answer, whatever a handler makes of the error that it met. */
  refusal: Problem | undefined;
  /** Asks for a body that the client holds back until then. */
  askForBody: (() => void) | undefined;
  /** When its handler started, and when its last byte came. */
  startedAt = 0;
  endedAt = 0;
  /** The connection, which wants to know when the last byte has come. */
  carrier: { touch(): void } | undefined;
  private chunks: Buffer[] | undefined;
  private size = 0;
  private isAskedFor = false;
  private reader: { stack?: string } | undefined;

  /** Node's parser calls this with what has arrived; `null` is the end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.end();
    // What is refused is thrown away: a client that is still sending sees the answer then, not a reset.
    else if (this.refusal) return true;
    else if (this.count(chunk) > this.bodyLimit && this.isAskedFor) return this.refuse();
    return super.push(chunk, encoding);
  }

  /** Whoever reads comes by here, also when the whole body is there already. */
  override read(size?: number): unknown {
    if (!this.isAskedFor) {
      this.isAskedFor = true;
      const declared = Number(this.headers["content-length"] ?? 0);
      if (Math.max(declared, this.size) > this.bodyLimit) this.refuse();
      else this.askForBody?.();
    }
    return super.read(size);
  }

  /** A body that is refused, or was read to its end, leaves the connection as it is. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.refusal) done(this.listenerCount("error") > 0 ? error : null);
    else super._destroy(error, done);
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    if (event === "data" || event === "readable") this.meetReader();
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  override [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer> {
    this.meetReader();
    return super[Symbol.asyncIterator]() as NodeJS.AsyncIterator<Buffer>;
  }

  /** All bytes of the body, from memory if someone has read them already. */
  async bytes(): Promise<Buffer> {
    if (!this.readableEnded) await this.readToEnd();
    return this.whole;
  }

  /** The same, at once; none before the body was read to its end. */
  get bytesRead(): Buffer | undefined {
    return this.readableEnded ? this.whole : undefined;
  }

  private get whole(): Buffer {
    const [first, second] = this.chunks ?? [];
    return first && !second ? first : Buffer.concat(this.chunks ?? []);
  }

  /** Whether the client went away in the middle of it. */
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
    // Node has stopped reading the connection if much arrived before anyone read the body.
    this._read(0);
    // Some readers go on with the error only once the body has ended.
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

  /** Remembers the first reader. A stream that has ended tells a second one nothing: it would wait for ever. */
  private meetReader(): void {
    if (this.readableEnded && this.reader)
      throw new Error(
        `The body of this request was read already, by ${nameOf(this.reader)}. readBody(req) gives its bytes again.`,
      );
    this.reader ??= new Error();
  }
}

/** The reader of those who call `readJson` or `readBody`. */
const core = { stack: "at readBody" };

function nameOf({ stack = "" }: { stack?: string }): string {
  const calls = stack.split("\n").filter((line) => /^\s*at /.test(line) && !internal.test(line));
  return calls[0]?.replace(/^\s*at /, "") ?? "someone";
}

const internal = /node:|\/http\/request\.|HttpRequest\.(on|meetReader)/;

/** Libraries look for the bytes here, or put them here. They disagree about its type, so that the class declares none. */
Object.defineProperty(HttpRequest.prototype, "rawBody", {
  configurable: true,
  get(this: HttpRequest) {
    return this.bytesRead;
  },
  set(this: HttpRequest, value: unknown) {
    Object.defineProperty(this, "rawBody", { configurable: true, writable: true, value });
  },
});
