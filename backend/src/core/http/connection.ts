import { once } from "node:events";
import type { Socket } from "node:net";
import { totalmem } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { maxHeaderBytes } from "../problem.ts";
import { HttpRequest } from "./request.ts";
import { HttpResponse, restorePrototypes } from "./response.ts";

const idleMs = 250;
const lingerMs = 1000;
/** How many requests may wait for an earlier one before no more are read. */
const maxWaiting = 10;
/** How many of those that arrived in one piece may wait while other connections take much memory. */
const maxCrowded = 100;

/** What libuv knows about a socket: the bytes it got to write, and those that the other side has no room for yet. */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** Node keeps the bytes of headers that are still arriving more than once. */
const headerWeight = 3;
/** Of many headers it keeps each name and value. A string takes less, but many of them keep the garbage collector busy. */
const stringBytes = 256;

/**
 * Node's parser of the requests of a connection. It calls back with names and values of many headers before their end, and
 * with each whole head. Nothing documented does: many connections are read in one turn, and a listener for their data
 * would slow all of them.
 */
interface Parser {
  constructor: { kOnHeaders: number; kOnHeadersComplete: number };
  resume(): void;
  [callback: number]: (...args: unknown[]) => unknown;
}

/** Node starts to read again after each message, unless this says that it must not; and pauses the parser, if it does. */
type PausableSocket = Socket & { parser: Parser | null; _paused: boolean };

let onHeaders: Parser[number] | undefined;
let onHeadersComplete: Parser[number] | undefined;

/** Ends the work of the parser. */
const stopParsing = -1;

/** An open connection: the answers still owed on it, one handler at a time, and how it ends. */
export class Connection implements Holder {
  readonly #socket: PausableSocket;
  readonly #memory: Memory;
  readonly #refuse: () => void;
  /** Whether more requests waited than it may have: no more are read. */
  isCrowded = false;
  #isHeldBack = false;
  #isReleased = false;
  #keptBytes = 0;
  #handledBytes = 0;
  /** Of what is kept: headers that have not ended, as strings, and what is only seen by looking, as bytes. */
  #stringBytes = 0;
  #seenBytes = 0;
  readonly #owed = new Set<HttpResponse>();
  readonly #waiting: (() => void)[] = [];
  #latest: HttpResponse | undefined;
  #last: HttpResponse | undefined;
  #hasFailed = false;
  #idleSince = Date.now();
  #bytesRead = 0;
  #sentAt = 0;
  #taken = -1;
  #takenAt = 0;

  constructor(socket: Socket, memory: Memory, refuse: () => void) {
    this.#socket = socket as PausableSocket;
    this.#memory = memory;
    this.#refuse = refuse;
    this.#watchParser(this.#socket.parser as Parser);
    socket.once("close", () => {
      this.release();
      this.#waiting.length = 0;
    });
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
    res.req.heldBytes += this.#stringBytes;
    this.#stringBytes = 0;
    const begin = () => this.#owed.has(res) && handle();
    if (this.#owed.size === 1) this.#begin(begin);
    else if (this.#waiting.push(begin) > maxWaiting) this.#pause();
  }

  /** As on plain Node, what a handler passes to `nextTick` is done before its promises go on. */
  #begin(begin: () => void): void {
    void waitForEndOfTurn().then(() => process.nextTick(begin));
  }

  #pause(): void {
    this.#socket._paused = true;
    this.#socket.pause();
  }

  #resume(): void {
    this.#socket._paused = false;
    this.#socket.parser?.resume();
    this.#socket.resume();
  }

  /** Records that so many bytes of a request arrived or, if negative, are not kept any more. */
  keep(bytes: number): void {
    if (this.#isReleased) return;
    this.#keptBytes += bytes;
    this.#memory.keep(bytes);
  }

  /** Counts what Node keeps without a sign: the next request's first headers, and what the client has not taken. */
  look(): void {
    const headers = this.#isIdle ? Math.min(this.#socket.bytesRead - this.#bytesRead, maxHeaderBytes) : 0;
    const seen = headerWeight * headers + this.#socket.writableLength;
    const more = seen - this.#seenBytes;
    this.#seenBytes = seen;
    if (more !== 0) this.keep(more);
  }

  get heldBytes(): number {
    return this.#keptBytes;
  }

  get isWaiting(): boolean {
    if (this.#isIdle || this.#stringBytes > 0 || this.#latest?.req.startedAt === 0) return true;
    return this.#latest?.req.complete === false || this.#socket.writableLength > 0;
  }

  /** Refuses a body that is arriving. In other cases the answer could not be sent, or would take memory itself. */
  giveUp(): void {
    const { current } = this;
    if (current?.req.complete === false && !current.hasBegun && this.#socket.writableLength === 0) {
      current.req.giveUp();
      this.#refuse();
      return;
    }
    this.cut("there was too little memory");
    this.release();
    this.#waiting.length = 0;
    for (const res of this.#owed) if (res.req.startedAt === 0) this.#owed.delete(res);
  }

  holdBack(): void {
    if (this.#socket.isPaused()) return;
    this.#isHeldBack = true;
    this.#pause();
  }

  readOn(): void {
    if (this.#isHeldBack && !this.#isReleased) this.#resume();
    this.#isHeldBack = false;
  }

  /** Counts the strings of headers that have not ended, and parses no more requests than may wait. */
  #watchParser(parser: Parser): void {
    const { kOnHeaders, kOnHeadersComplete } = parser.constructor;
    onHeaders ??= parser[kOnHeaders];
    onHeadersComplete ??= parser[kOnHeadersComplete];
    parser[kOnHeaders] = (...args) => {
      if (this.#isReleased) return;
      onHeaders?.apply(parser, args);
      const { length } = args[0] as string[];
      this.#stringBytes += length * stringBytes;
      this.keep(length * stringBytes);
    };
    parser[kOnHeadersComplete] = (...args) => {
      // Thousands of requests may have arrived in one piece. Each would take some memory before it is handled.
      this.isCrowded ||= this.#waiting.length >= maxCrowded && this.#memory.isCrowded;
      return this.isCrowded ? stopParsing : onHeadersComplete?.apply(parser, args);
    };
  }

  /** Counts nothing of it any more. */
  release(): void {
    for (const res of this.#owed) {
      restorePrototypes(res);
      res.req.release();
    }
    this.keep(-this.#keptBytes);
    this.#isReleased = true;
  }

  get #isIdle(): boolean {
    return this.#owed.size === 0 && this.#latest === undefined;
  }

  /** The rest of a refused body may arrive after the answer: it is not a new request. */
  touch(): void {
    if (this.#owed.size === 0) this.#markIdle();
  }

  /** The answer that is in progress, if there is one. */
  get current(): HttpResponse | undefined {
    const res = this.#owed.values().next().value;
    if (res) restorePrototypes(res);
    return res;
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

  /** Cuts off a client that has taken no bytes for so long while some waited. */
  cutIfStalled(ms: number): void {
    const { _handle: handle, writableLength } = this.#socket as Socket & { _handle?: Handle };
    const taken = (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
    if (this.#socket.destroyed) return;
    const isTaking = writableLength === 0 || taken !== this.#taken;
    if (isTaking) [this.#taken, this.#takenAt] = [taken, Date.now()];
    else if (Date.now() - this.#takenAt >= ms) this.cut(`the client took no bytes for ${ms} ms`);
  }

  /** Ends the connection at once; the log says why. */
  cut(reason: string): void {
    if (this.current) this.current.cutBecause = reason;
    this.#socket.destroy();
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
    if (res?.hasBegun || !this.#socket.writable) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    res?.detachSocket(this.#socket);
    this.#waiting.length = 0;
    this.#owed.clear();
    // For its handler, the client has disconnected.
    res?.destroy();
    const instead = new HttpResponse(res?.req ?? new HttpRequest(this.#socket));
    instead.assignSocket(this.#socket);
    instead.shouldKeepAlive = false;
    instead.once("finish", () => this.#socket.destroySoon());
    answer(instead);
  }

  /** Records that an answer was sent, and continues with the next request; false if the answer was replaced. */
  finish(res: HttpResponse): boolean {
    if (!this.#owed.delete(res)) return false;
    this.#handledBytes += res.req.countBytes();
    this.#markIdle();
    // What was sent after the last request of the connection is not handled.
    if (this.#socket.writableEnded) this.#waiting.length = 0;
    // Not at once: many short answers would keep all other clients waiting.
    const next = this.#waiting.shift();
    if (next) this.#begin(next);
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#resume();
    return true;
  }

  #markIdle(): void {
    this.#idleSince = Date.now();
    this.#sentAt = 0;
    if (this.#owed.size > 0 || this.#latest?.req.complete === false) return;
    // A part of the next request may have arrived with the last one. The size of a request is known only approximately.
    const { bytesRead } = this.#socket;
    const rest = bytesRead - this.#bytesRead - this.#handledBytes;
    this.#bytesRead = rest > 1024 ? bytesRead - rest : bytesRead;
    this.#handledBytes = 0;
    this.#latest = undefined;
    this.#last = undefined;
  }
}

let turn: Promise<void> | undefined;

/**
 * Resolves when everything that has arrived in this turn of the event loop is read. Handling many requests step by step
 * together takes far less time than one after the other.
 */
function waitForEndOfTurn(): Promise<void> {
  turn ??= nextTurn().then(() => {
    turn = undefined;
  });
  return turn;
}

/** The share of the memory of the process that unfinished requests may take together. Handling them takes more. */
const share = 1 / 8;
/** If there is too much, connections end until this part of it is left: not one of them for each new byte. */
const lowered = 0.75;
/** How often a new body may end larger ones. Looking for them takes time. */
const pauseMs = 20;

/** A connection, as far as it takes memory. */
export interface Holder {
  /** The bytes that are kept for it. */
  readonly heldBytes: number;
  /** Whether they wait for the client, or for their turn. What a handler works with is not taken away from it. */
  readonly isWaiting: boolean;
  /** Ends it, so that its bytes are free. */
  giveUp(): void;
  /** Reads nothing more in this turn. */
  holdBack(): void;
  readOn(): void;
}

/** The memory for the bytes of unfinished requests, and of answers that clients have not taken. */
export class Memory {
  readonly #holders: () => Iterable<Holder>;
  readonly #limit: number;
  #keptBytes = 0;
  #checkFrom: number;
  #madeRoomAt = 0;

  constructor(holders: () => Iterable<Holder>, limit = measureMemory() * share) {
    this.#holders = holders;
    this.#limit = limit;
    this.#checkFrom = limit;
  }

  /** Records that so many bytes are kept or, if negative, are not kept any more. Ends connections if that is too much. */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
    if (bytes <= 0) this.#checkFrom = Math.max(this.#limit, Math.min(this.#checkFrom, this.#keptBytes * 1.05));
    else if (this.#keptBytes > this.#checkFrom) this.#end();
  }

  #end(): void {
    this.#free(this.#limit, 0);
    // If what is left waits for handlers, a check for each byte would only cost time.
    this.#checkFrom = Math.max(this.#limit, this.#keptBytes * 1.05);
    // Node frees what it keeps of a connection at the end of the turn. One turn reads from thousands of them.
    const holders = Array.from(this.#holders());
    for (const holder of holders) holder.holdBack();
    setImmediate(() => {
      for (const holder of holders) holder.readOn();
    });
  }

  /** Whether much of it is in use. */
  get isCrowded(): boolean {
    return this.#keptBytes > this.#limit / 2;
  }

  /** Whether there is room for a new body. Larger ones that are still arriving make room for it. */
  hasRoomFor(bytes: number): boolean {
    if (this.#keptBytes + bytes > this.#limit && performance.now() - this.#madeRoomAt > pauseMs) {
      this.#free(this.#limit - bytes, bytes);
      this.#madeRoomAt = performance.now();
    }
    return this.#keptBytes + bytes <= this.#limit;
  }

  /** Ends those that hold more than `least`, the largest first. */
  #free(allowed: number, least: number): void {
    if (this.#keptBytes <= allowed) return;
    const waiting = Array.from(this.#holders()).filter((holder) => holder.heldBytes > least && holder.isWaiting);
    for (const holder of waiting.sort((one, other) => other.heldBytes - one.heldBytes)) {
      if (this.#keptBytes <= allowed * lowered) return;
      // One answer may be longer than everything that may be kept.
      const isAlone = holder.heldBytes > this.#limit && this.#keptBytes - holder.heldBytes <= this.#limit * lowered;
      if (isAlone && least === 0) return;
      holder.giveUp();
    }
  }
}

/** The memory that the process may use: its container's or the machine's, and what its heap allows. */
function measureMemory(): number {
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(container, totalmem(), 2 * getHeapStatistics().heap_size_limit);
}
