import { once } from "node:events";
import type { Socket } from "node:net";
import { HttpRequest } from "./request.ts";
import { HttpResponse } from "./response.ts";
import { endOfTurn } from "./turn.ts";

const idleMs = 250;
const lingerMs = 1000;
/** How many requests may wait for an earlier one before no more are read. */
const maxWaiting = 10;

/** An open connection: the answers still owed on it, one handler at a time, and how it ends. */
export class Connection {
  readonly #socket: Socket;
  readonly #owed = new Set<HttpResponse>();
  readonly #waiting: (() => void)[] = [];
  #latest: HttpResponse | undefined;
  #last: HttpResponse | undefined;
  #hasFailed = false;
  #idleSince = Date.now();
  #bytesRead = 0;
  #sentAt = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node calls this after the last answer. Node's own method stops reading, and unread data resets the connection.
    socket.destroySoon = () => {
      if (socket.writableEnded) return;
      socket.end();
      setTimeout(() => socket.destroy(), lingerMs).unref();
    };
  }

  /** Handles a request once earlier ones on this connection are answered, unless it was replaced before. */
  take(res: HttpResponse, handle: () => void): void {
    this.#latest = res;
    this.#owed.add(res);
    if (this.#owed.size === 1) void endOfTurn().then(() => this.#owed.has(res) && handle());
    else if (this.#waiting.push(handle) > maxWaiting) this.#socket.pause();
  }

  /** The rest of a refused body may arrive after the answer: it is not a new request. */
  touch(): void {
    if (this.#owed.size === 0) this.#markIdle();
  }

  /** The answer that is in progress, if there is one. */
  get current(): HttpResponse | undefined {
    return this.#owed.values().next().value;
  }

  /** Sets `Connection: close` on the last owed answer only: Node ends the connection after the first answer with it. */
  announceClose(): void {
    if (this.#last && this.#last !== this.#latest && !this.#last.headersSent) this.#last.shouldKeepAlive = true;
    if (!this.#latest?.shouldKeepAlive) return;
    this.#last = this.#latest;
    this.#last.shouldKeepAlive = false;
  }

  /** Ends the connection if no request has arrived for so long, even if other bytes have. */
  closeAfter(ms: number): void {
    const isReading = this.#latest?.req.complete === false;
    if (this.#owed.size === 0 && !isReading && Date.now() - this.#idleSince >= ms) this.#socket.destroySoon();
  }

  /** While the server stops: watches for new bytes. Line breaks alone are not a request. */
  watch(): void {
    this.#sentAt = this.#socket.bytesRead > this.#bytesRead ? Date.now() + lingerMs : 0;
    this.#socket.on("data", (bytes: Buffer) => {
      if (!/^[\r\n]*$/.test(bytes.toString("latin1"))) this.#sentAt = Number.POSITIVE_INFINITY;
    });
  }

  /** Ends the connection if it has been idle for a moment, counted from `start` at the earliest. */
  closeIfIdle(start: number): void {
    const isSending = Date.now() < this.#sentAt && this.#latest?.req.complete !== false;
    const idle = Date.now() - Math.max(start, this.#idleSince);
    if (this.#owed.size === 0 && !isSending && idle >= idleMs) this.#socket.destroySoon();
  }

  /** Answers a request that cannot be read to its end, once earlier ones are answered. */
  async fail(answer: (res: HttpResponse) => void): Promise<void> {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const unread = this.#latest?.req.complete === false ? this.#latest : undefined;
    await Promise.all([...this.#owed].filter((res) => res !== unread).map((res) => once(res, "close")));
    this.replace(unread, answer);
  }

  /** Replaces an answer that is not sent, and ends the connection. What a framework still writes is discarded. */
  replace(res: HttpResponse | undefined, answer: (res: HttpResponse) => void): void {
    if (res?.headersSent || !this.#socket.writable) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    res?.detachSocket(this.#socket);
    this.#waiting.length = 0;
    this.#owed.clear();
    const instead = new HttpResponse(res?.req ?? new HttpRequest(this.#socket));
    instead.assignSocket(this.#socket);
    instead.shouldKeepAlive = false;
    instead.once("finish", () => this.#socket.destroySoon());
    answer(instead);
  }

  /** Records that an answer was sent, and continues with the next request. */
  finish(res: HttpResponse): void {
    this.#owed.delete(res);
    this.#markIdle();
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#socket.resume();
  }

  #markIdle(): void {
    this.#idleSince = Date.now();
    this.#bytesRead = this.#socket.bytesRead;
    this.#sentAt = 0;
  }
}
