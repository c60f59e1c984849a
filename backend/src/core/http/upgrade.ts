import type { Socket } from "node:net";
import { logRequest } from "../log.ts";
import type { Answer, Problem } from "../problem.ts";
import type { Holder, Memory } from "./connection.ts";
import { type HttpResponse, handling, toProblem } from "./response.ts";

/** A connection that the app takes over, as a WebSocket for example. */
export class Upgrade implements Holder {
  readonly #res: HttpResponse;
  readonly #socket: Socket;
  readonly #memory: Memory;
  #isAnswered = false;
  heldBytes = 0;

  constructor(res: HttpResponse, socket: Socket, memory: Memory) {
    this.#res = res;
    this.#socket = socket;
    this.#memory = memory;
    // Node has removed its own listener.
    socket.on("error", () => {});
    socket.once("close", () => this.#isAnswered || this.#log(0));
    socket.once("close", () => this.#count(0));
    this.#noticeAnswer();
    const { emit } = socket;
    socket.emit = (...args: unknown[]) => this.run(() => Reflect.apply(emit, socket, args)) === true;
  }

  /** Calls listeners. What they throw, now or in a later event of the socket, fails this connection alone. */
  run(call: () => unknown): unknown {
    try {
      return handling.run(this.#res, call);
    } catch (error) {
      this.fail(toProblem(error, this.#res.req));
      return true;
    }
  }

  /** Answers with a problem, if nothing else was answered, and ends the connection. */
  fail(problem: Problem): void {
    this.#end(() => this.#res.fail(problem));
  }

  /** Answers instead of a listener. */
  refuse(answer: Answer): void {
    this.#end(() => this.#res.send(answer));
  }

  #end(answer: () => void): void {
    const socket = this.#socket as Socket & { _httpMessage?: { detachSocket(socket: Socket): void } };
    if (this.#isAnswered || !socket.writable) {
      socket.destroy();
      return;
    }
    socket._httpMessage?.detachSocket(socket);
    this.#res.assignSocket(socket);
    this.#res.shouldKeepAlive = false;
    this.#res.once("finish", () => socket.destroySoon());
    answer();
    // What still arrives is discarded: unread bytes would reset the connection.
    socket.resume();
  }

  /** Whether its listeners have answered nothing for as long as a handler may take. */
  get isLate(): boolean {
    const { startedAt, handlerTimeoutMs } = this.#res.req;
    return !this.#isAnswered && performance.now() - startedAt >= handlerTimeoutMs;
  }

  /** Counts what the client has not taken. */
  look(): void {
    this.#count(this.#socket.destroyed ? 0 : this.#socket.writableLength);
  }

  #count(bytes: number): void {
    const more = bytes - this.heldBytes;
    this.heldBytes = bytes;
    if (more !== 0) this.#memory.keep(more);
  }

  get isWaiting(): boolean {
    return this.heldBytes > 0;
  }

  giveUp(): void {
    this.#socket.destroy();
    this.#count(0);
  }

  /** What it reads is its listeners' own. */
  holdBack(): void {}

  readOn(): void {}

  /** The first bytes that are written begin with the status. */
  #noticeAnswer(): void {
    const { write, end } = this.#socket;
    const notice = ([bytes]: unknown[]) => {
      if (this.#isAnswered || !(typeof bytes === "string" || bytes instanceof Uint8Array)) return;
      this.#isAnswered = true;
      const head = Buffer.from(bytes.slice(0, 12) as string).toString("latin1");
      this.#log(Number(/^HTTP\/1\.1 (\d{3})$/.exec(head)?.[1] ?? 0));
    };
    const withNotice = (method: typeof write | typeof end) =>
      function (this: Socket, ...args: unknown[]) {
        notice(args);
        return Reflect.apply(method, this, args);
      };
    Object.assign(this.#socket, { write: withNotice(write), end: withNotice(end) });
  }

  #log(statusCode: number): void {
    const { req } = this.#res;
    logRequest(req, { statusCode, writableFinished: statusCode > 0 }, performance.now() - req.startedAt);
  }
}
