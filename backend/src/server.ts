import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, StartError } from "./config.ts";
import { Connection, standingHeaders } from "./connection.ts";
import { answerTo, Problem, unavailable } from "./problem.ts";
import { identify, normalise } from "./request.ts";

/** The HTTP server around any framework's listener. It settles what Node and the frameworks leave open. */
export class Shell {
  readonly #config: Config;
  readonly #handle: RequestListener;
  readonly #server;
  readonly #connections = new Map<Socket, Connection>();
  #isClosing = false;

  constructor(handle: RequestListener, config: Config) {
    this.#handle = handle;
    this.#config = config;
    this.#server = createServer({
      maxHeaderSize: 16_384,
      headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
      requestTimeout: config.requestTimeoutMs,
      keepAliveTimeout: config.keepAliveMs,
      connectionsCheckingInterval: 500,
      requireHostHeader: false,
    });
    this.#server.maxHeadersCount = 0;
    this.#server.on("connection", (socket) => this.#track(socket));
    this.#server.on("request", (req, res) => this.#accept(req, res));
    this.#server.on("checkContinue", (req, res) => {
      continueOnRead(req, res);
      this.#accept(req, res);
    });
    this.#server.on("checkExpectation", (req, res) => {
      res.shouldKeepAlive = false;
      this.#accept(req, res, new Problem("expectation_failed", "The only expectation met here is 100-continue."));
    });
    this.#server.on("connect", (_req, socket) =>
      this.#fail(socket, new Problem("bad_request", "CONNECT is not supported here.")),
    );
    this.#server.on("clientError", (error, socket) => this.#fail(socket, parserProblem(error)));
  }

  /** Starts to take connections, and tells on which port. */
  async listen(): Promise<number> {
    const { host, port } = this.#config;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject).listen(port, host, resolve);
    await promise.catch(({ code }) => {
      throw new StartError(`Cannot listen on ${host}, port ${port}: ${listenFaults[code] ?? code}`);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Answers what is under way and closes every connection; false if some had to be cut at the shutdown limit. */
  async drain(): Promise<boolean> {
    this.#isClosing = true;
    // http.Server's own close() would also stop Node's checks for slow requests.
    NetServer.prototype.close.call(this.#server);
    const connections = this.#connections;
    for (const connection of connections.values()) connection.announceClose();
    const start = Date.now();
    while (connections.size > 0 && Date.now() - start < this.#config.shutdownTimeoutMs) {
      for (const connection of connections.values()) connection.closeIfIdle(start);
      await sleep(25);
    }
    const isClean = connections.size === 0;
    for (const socket of connections.keys()) socket.destroy();
    return isClean;
  }

  #track(socket: Socket): void {
    this.#connections.set(socket, new Connection(socket));
    socket.once("close", () => this.#connections.delete(socket));
  }

  #accept(req: IncomingMessage, res: ServerResponse, refusal?: Problem): void {
    const connection = this.#connections.get(req.socket);
    if (!connection || req.socket.writableEnded) return;
    const requestId = identify(req);
    for (const [name, value] of Object.entries(standingHeaders(requestId))) res.setHeader(name, value);
    if (this.#isClosing) res.shouldKeepAlive = false;
    connection.owe(res);
    try {
      if (refusal) throw refusal;
      normalise(req);
    } catch (error) {
      const { status, reason, headers, body } = answerTo(error, req);
      res.writeHead(status, reason, headers).end(body);
      return;
    }
    this.#limitTime(req, res, connection);
    this.#handle(req, res);
  }

  /** A handler's time counts from when the whole request is there. */
  #limitTime(req: IncomingMessage, res: ServerResponse, connection: Connection): void {
    const timer = setTimeout(() => {
      if (req.complete) connection.replace(res, unavailable());
      else timer.refresh();
    }, this.#config.handlerTimeoutMs);
    req.once("end", () => timer.refresh());
    res.once("close", () => clearTimeout(timer));
  }

  #fail(socket: Duplex, problem: Problem): void {
    const connection = this.#connections.get(socket as Socket);
    if (socket.writable && connection) void connection.fail(problem);
    else socket.destroy();
  }
}

/** A body is asked for when someone starts to read it, so never for one that is refused by its headers. */
function continueOnRead(req: IncomingMessage, res: ServerResponse): void {
  const { _read: read } = req;
  const { shouldKeepAlive } = res;
  // Refused, the client may send the body or not: what follows on the connection could be either.
  res.shouldKeepAlive = false;
  req._read = (size) => {
    req._read = read;
    if (!res.headersSent) {
      res.shouldKeepAlive = shouldKeepAlive;
      res.writeContinue();
    }
    req._read(size);
  };
}

function parserProblem(error: NodeJS.ErrnoException): Problem {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem("headers_too_large", "The request line and headers may have at most 16384 bytes.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request_timeout", "The request came too slowly; send it again, faster.");
    default:
      return new Problem("bad_request", "The request is not well-formed HTTP.");
  }
}

const listenFaults: Record<string, string> = {
  EADDRINUSE: "the port is in use; set PORT to another, or stop what uses it",
  EACCES: "not permitted; set PORT to 1024 or above",
  EADDRNOTAVAIL: "this machine has no such address; set HOST to one of its own",
  ENOTFOUND: "no such host; set HOST to an address of this machine",
};
