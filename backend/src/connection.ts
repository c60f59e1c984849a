import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const idleMs = 250;
const lingerMs = 1000;

/** An open connection: the answers still owed on it, and how it ends. */
export class Connection {
  readonly #socket: Socket;
  readonly #owed = new Set<ServerResponse>();
  #latest: ServerResponse | undefined;
  #last: ServerResponse | undefined;
  #hasFailed = false;
  #idleSince = Date.now();
  #bytesRead = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node calls this after the last answer. Its own would not read on, and unread data resets the connection.
    socket.destroySoon = () => {
      if (socket.writableEnded) return;
      socket.end();
      setTimeout(() => socket.destroy(), lingerMs).unref();
    };
  }

  owe(res: ServerResponse): void {
    this.#latest = res;
    this.#owed.add(res);
    res.once("close", () => this.#settle(res));
    // The rest of a refused body may come after the answer.
    res.req.once("end", () => this.#settle());
  }

  /** Makes the last answer that is owed tell of the close: Node ends the connection after the first one that does. */
  announceClose(): void {
    if (this.#last && this.#last !== this.#latest && !this.#last.headersSent) this.#last.shouldKeepAlive = true;
    if (!this.#latest?.shouldKeepAlive) return;
    this.#last = this.#latest;
    this.#last.shouldKeepAlive = false;
  }

  /** Ends the connection if it has been idle for a moment, counted from `start` at the earliest. */
  closeIfIdle(start: number): void {
    const isSending = this.#socket.bytesRead > this.#bytesRead && this.#latest?.req.complete !== false;
    const idle = Date.now() - Math.max(start, this.#idleSince);
    if (this.#owed.size === 0 && !isSending && idle >= idleMs) this.#socket.destroySoon();
  }

  /** Tells of a request that cannot be read to its end, once those before it have their answers. */
  async fail(tell: (res: ServerResponse) => void): Promise<void> {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const unread = this.#latest?.req.complete === false ? this.#latest : undefined;
    await Promise.all([...this.#owed].filter((res) => res !== unread).map((res) => once(res, "close")));
    this.replace(unread, tell);
  }

  /** Tells something else in place of an answer that does not come, and ends. What a framework still writes is lost. */
  replace(res: ServerResponse | undefined, tell: (res: ServerResponse) => void): void {
    if (res?.headersSent || !this.#socket.writable) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    res?.detachSocket(this.#socket);
    this.#settle(res);
    const instead = new ServerResponse(res?.req ?? new IncomingMessage(this.#socket));
    instead.assignSocket(this.#socket);
    instead.shouldKeepAlive = false;
    instead.once("finish", () => this.#socket.destroySoon());
    tell(instead);
  }

  #settle(res?: ServerResponse): void {
    if (res) this.#owed.delete(res);
    this.#idleSince = Date.now();
    this.#bytesRead = this.#socket.bytesRead;
  }
}
