import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { getSystemErrorMessage } from "node:util";
import { type Config, StartError } from "./config.ts";
import { Connection } from "./connection.ts";
import { log } from "./log.ts";
import { routes } from "./parts.ts";
import { answerTo, Problem, unavailable } from "./problem.ts";
import { identify, normalise } from "./request.ts";

/** The HTTP server around any framework's listener. It settles what Node and the frameworks leave open. */
export function createShell(handle: RequestListener, config: Config) {
  const connections = new Map<Duplex, Connection>();
  const started = new WeakMap<IncomingMessage, number>();
  let isClosing = false;

  const server = createServer({
    connectionsCheckingInterval: 500,
    headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
    keepAliveTimeout: config.keepAliveMs,
    maxHeaderSize: 16_384,
    requestTimeout: config.requestTimeoutMs,
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  server.on("connection", (socket) => {
    connections.set(socket, new Connection(socket));
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (req, res) => accept(req, res));
  server.on("checkContinue", (req, res) => accept(req, continueOnRead(req, res)));
  const expectationFailed = new Problem("expectation_failed", "The only expectation met here is 100-continue.");
  server.on("checkExpectation", (req, res) => accept(req, res, expectationFailed));
  server.on("connect", (_req, socket) => fail(socket, new Problem("bad_request", "This is no proxy.")));
  server.on("clientError", (error, socket) => fail(socket, parserProblem(error)));

  function accept(req: IncomingMessage, res: ServerResponse, refusal?: Problem): void {
    const connection = connections.get(req.socket);
    if (!connection || req.socket.writableEnded) return;
    const start = started.getOrInsert(req, performance.now());
    connection.owe(res);
    if (refusal) res.shouldKeepAlive = false;
    if (isClosing) connection.announceClose();
    res.setHeader("Cache-Control", "no-store");
    res.setHeader("X-Content-Type-Options", "nosniff");
    res.setHeader("X-Request-Id", identify(req));
    res.once("close", () => logRequest(req, res, performance.now() - start));
    const problem = refusal ?? normalise(req);
    if (problem) {
      const { status, headers, body } = answerTo(problem, req);
      res.writeHead(status, headers).end(body);
    } else {
      limitTime(req, res, connection);
      handle(req, res);
    }
  }

  /** A handler's time counts from when the whole request is there. */
  function limitTime(req: IncomingMessage, res: ServerResponse, connection: Connection): void {
    const timer = setTimeout(() => {
      if (!req.complete) timer.refresh();
      else connection.replace(res, (instead) => accept(req, instead, unavailable()));
    }, config.handlerTimeoutMs);
    req.once("end", () => timer.refresh());
    res.once("close", () => clearTimeout(timer));
  }

  function fail(socket: Duplex, problem: Problem): void {
    const connection = connections.get(socket);
    if (connection && socket.writable) void connection.fail((res) => accept(res.req, res, problem));
    else socket.destroy();
  }

  return {
    /** Starts to take connections; gives the port. */
    async listen(): Promise<number> {
      const { host, port } = config;
      await once(server.listen(port, host), "listening").catch(({ errno }) => {
        throw new StartError(`Cannot listen on HOST ${host}, PORT ${port}: ${getSystemErrorMessage(errno)}`);
      });
      return (server.address() as AddressInfo).port;
    },

    /** Answers what is under way and closes every connection; false if some are left at the shutdown limit. */
    async drain(): Promise<boolean> {
      isClosing = true;
      // http.Server's own close() would also stop Node's checks for slow requests.
      NetServer.prototype.close.call(server);
      for (const connection of connections.values()) connection.announceClose();
      const start = Date.now();
      while (connections.size > 0 && Date.now() - start < config.shutdownTimeoutMs) {
        await sleep(25);
        // After a stall, timers run before what has arrived meanwhile is read; an immediate runs after.
        await setImmediate();
        for (const connection of connections.values()) connection.closeIfIdle(start);
      }
      return connections.size === 0;
    },
  };
}

/** Asks for the body when someone starts to read it: not for one that is refused by its headers. */
function continueOnRead(req: IncomingMessage, res: ServerResponse): ServerResponse {
  const { shouldKeepAlive } = res;
  // The client of a refused body may send it or not: what follows on the connection could be either.
  res.shouldKeepAlive = false;
  req._read = (size) => {
    Reflect.deleteProperty(req, "_read");
    if (!res.headersSent) res.writeContinue();
    res.shouldKeepAlive = shouldKeepAlive;
    req._read(size);
  };
  return res;
}

function parserProblem({ code }: NodeJS.ErrnoException): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return new Problem("headers_too_large", "Send at most 16384 bytes of headers.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Problem("request_timeout", "Send the request faster.");
  return new Problem("bad_request", "The request is not well-formed HTTP.");
}

function logRequest({ headers, method, url = "" }: IncomingMessage, res: ServerResponse, duration: number): void {
  const [path = ""] = url.split("?", 1);
  const route = routes.has(path) ? path : null;
  const level = res.statusCode < 500 ? "info" : "error";
  const status = res.writableFinished ? res.statusCode : "aborted";
  const durationMs = Math.round(duration * 100) / 100;
  log(level, "request", { requestId: headers["x-request-id"], method, route, status, durationMs });
}
