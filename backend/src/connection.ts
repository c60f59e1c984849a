import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { log } from "./log.ts";
import { type Answer, answerTo, type Problem } from "./problem.ts";
import { routes } from "./routes.ts";

const idleMs = 250;
const lingerMs = 1000;

/** What stands on every answer. */
export function standingHeaders(requestId: string): Record<string, string> {
  return { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Request-Id": requestId };
}

/** An open connection and the answers still owed on it, each with the time when its request came. */
export class Connection {
  readonly #socket: Socket;
  readonly #owed = new Map<ServerResponse, number>();
  #latest: ServerResponse | undefined;
  #hasFailed = false;
  #idleSince = Date.now();
  #bytesRead = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node calls this after the last answer, and would close at once.
    socket.destroySoon = () => this.#end("");
  }

  owe(res: ServerResponse): void {
    this.#latest = res;
    this.#owed.set(res, performance.now());
    res.once("close", () => this.#settle(res, res.writableFinished ? res.statusCode : undefined));
  }

  /** The answers still owed will be the last on this connection. */
  announceClose(): void {
    for (const res of this.#owed.keys()) res.shouldKeepAlive = false;
  }

  /** Ends the connection if it has been idle for a moment, counted from `start` at the earliest. */
  closeIfIdle(start: number): void {
    const isSending = this.#socket.bytesRead > this.#bytesRead && !this.#latest?.writableFinished;
    const idle = Date.now() - Math.max(start, this.#idleSince);
    if (this.#owed.size === 0 && !isSending && idle >= idleMs) this.#end("");
  }

  /** Tells of a request that cannot be read, once the requests before it have their answers. */
  async fail(problem: Problem): Promise<void> {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const unread = this.#latest?.req.complete ? undefined : this.#latest;
    await Promise.all([...this.#owed.keys()].filter((res) => res !== unread).map((res) => once(res, "close")));
    this.replace(unread, problem);
  }

  /** Tells of a problem instead of an answer that does not come, or of one that belongs to no request, and ends. */
  replace(res: ServerResponse | undefined, problem: Problem): void {
    if (res?.headersSent) {
      this.#socket.destroy();
      return;
    }
    const { headers } = res?.req ?? { headers: { "x-request-id": randomUUID() } };
    const requestId = String(headers["x-request-id"]);
    const answer = answerTo(problem, { headers });
    // Whatever the framework still writes then goes nowhere.
    res?.detachSocket(this.#socket);
    if (res) this.#settle(res, answer.status);
    else logRequest(answer.status, { requestId });
    this.#end(rawMessage(answer, requestId));
  }

  #settle(res: ServerResponse, status: number | undefined): void {
    const started = this.#owed.get(res);
    if (started === undefined) return;
    this.#owed.delete(res);
    this.#idleSince = Date.now();
    this.#bytesRead = this.#socket.bytesRead;
    logRequest(status, {
      requestId: res.getHeader("X-Request-Id"),
      method: res.req.method,
      route: routeOf(res.req.url),
      durationMs: Math.round((performance.now() - started) * 1000) / 1000,
    });
  }

  /** Reads on for a while: a connection closed on unread data is reset, and the client may lose the answer. */
  #end(message: string): void {
    if (this.#socket.writableEnded) return;
    this.#socket.end(message);
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }
}

function rawMessage({ status, reason, headers, body }: Answer, requestId: string): string {
  const all = {
    ...standingHeaders(requestId),
    ...headers,
    Date: new Date().toUTCString(),
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`;
}

/** A status of `undefined` is a client that went away before its answer. */
function logRequest(status: number | undefined, details: object): void {
  log(status !== undefined && status >= 500 ? "error" : "info", "request", { ...details, status: status ?? "aborted" });
}

function routeOf(url = ""): string | undefined {
  const [path = ""] = url.split("?", 1);
  return Object.hasOwn(routes, path) ? path : undefined;
}
