import { once } from "node:events";
import { createServer, type ServerOptions } from "node:http";
import { type AddressInfo, Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { getSystemErrorMessage } from "node:util";
import type { Config } from "../config.ts";
import { problemIn } from "../failure.ts";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
import { logRequest } from "../log.ts";
import type { App } from "../parts.ts";
import { notFound, Problem, unavailable } from "../problem.ts";
import { StartError } from "../start-error.ts";
import { Connection } from "./connection.ts";
import { HttpRequest } from "./request.ts";
import { HttpResponse } from "./response.ts";
import { Routes, taking } from "./routes.ts";
import { identify, isPlainPath, normalise } from "./target.ts";

/** How often timeouts are checked. */
const checkMs = 500;

/** The HTTP server around any framework's app. It does what Node and the frameworks do not. */
export function createHttpServer(app: App, config: Config) {
  const connections = new Map<Duplex, Connection>();
  const routes = new Routes(app.routes);
  let isClosing = false;

  const options: ServerOptions<typeof HttpRequest, typeof HttpResponse> = {
    IncomingMessage: HttpRequest,
    ServerResponse: HttpResponse,
    connectionsCheckingInterval: checkMs,
    headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
    keepAliveTimeout: 0,
    maxHeaderSize: 16_384,
    requestTimeout: config.requestTimeoutMs,
    requireHostHeader: false,
  };
  const server = createServer(options);
  server.maxHeadersCount = 0;
  server.maxConnections = config.maxConnections;
  server.on("connection", (socket) => {
    connections.set(socket, new Connection(socket));
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (req, res) => accept(req, res));
  server.on("checkContinue", (req, res) => accept(req, continueOnRead(req, res)));
  const expectationFailed = new Problem("expectation_failed", "The only supported expectation is 100-continue.");
  server.on("checkExpectation", (req, res) => accept(req, res, expectationFailed));
  server.on("connect", (_req, socket) => fail(socket, new Problem("bad_request", "This is not a proxy.")));
  server.on("clientError", (error, socket) => fail(socket, parserProblem(error)));

  function accept(req: HttpRequest, res: HttpResponse, refusal?: Problem): void {
    const connection = connections.get(req.socket);
    if (!connection || req.socket.writableEnded) return;
    req.carrier = connection;
    // After a request for an upgrade, Node does not read the bytes that arrived together with it.
    if (refusal || req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    res.once("close", () => {
      connection.finish(res);
      if (req.startedAt > 0) logRequest(req, res, performance.now() - req.startedAt);
    });
    connection.take(res, () => begin(req, res, refusal));
    if (isClosing) connection.announceClose();
  }

  function begin(req: HttpRequest, res: HttpResponse, refusal?: Problem): void {
    req.startedAt = performance.now();
    req.requestId = identify(req);
    try {
      const problem = refusal ?? normalise(req);
      if (problem) throw problem;
      const { url = "" } = req;
      const query = url.indexOf("?");
      const path = query < 0 ? url : url.slice(0, query);
      req.match = routes.at(path);
      req.bodyLimit =
        taking(req.match, req.method ?? "").find(({ bodyLimit }) => bodyLimit)?.bodyLimit ?? config.bodyLimitBytes;
      allowOrigin(req, res.own, config.corsOrigins);
      authenticate(req, config.apiTokens);
      if (!req.match.isFixed && !isPlainPath(path)) throw notFound();
    } catch (error) {
      res.fail(problemIn(error, req));
      return;
    }
    app.listener(req, res);
  }

  /** Ends idle connections, and handlers that take too long, counted from the arrival of the whole request. */
  function check(connection: Connection): void {
    const { current } = connection;
    if (!current) {
      connection.closeAfter(config.keepAliveMs);
      return;
    }
    const { complete, startedAt, endedAt } = current.req;
    const isLate = complete && performance.now() - Math.max(startedAt, endedAt) >= config.handlerTimeoutMs;
    if (isLate && startedAt > 0) connection.replace(current, (instead) => accept(current.req, instead, unavailable()));
  }
  const checks = setInterval(
    () => {
      for (const connection of connections.values()) check(connection);
    },
    Math.min(checkMs, config.handlerTimeoutMs),
  );

  function fail(socket: Duplex, problem: Problem): void {
    const connection = connections.get(socket);
    if (connection && socket.writable) void connection.fail((res) => accept(res.req, res, problem));
    else socket.destroy();
  }

  return {
    /** Starts to accept connections; returns the port. */
    async listen(): Promise<number> {
      const { host, port } = config;
      await once(server.listen(port, host), "listening").catch(({ errno }) => {
        throw new StartError(`Cannot listen on HOST ${host}, PORT ${port}: ${getSystemErrorMessage(errno)}`);
      });
      return (server.address() as AddressInfo).port;
    },

    /** Answers requests in flight and closes every connection; false if some are left at the shutdown limit. */
    async drain(): Promise<boolean> {
      isClosing = true;
      // http.Server's own close() would also stop Node's checks for slow requests.
      NetServer.prototype.close.call(server);
      for (const connection of connections.values()) {
        connection.announceClose();
        connection.watch();
      }
      const start = Date.now();
      while (connections.size > 0 && Date.now() - start < config.shutdownTimeoutMs) {
        await sleep(25);
        // After a stall, timers run before newly arrived bytes are read; an immediate runs after that.
        await setImmediate();
        for (const connection of connections.values()) connection.closeIfIdle(start);
      }
      clearInterval(checks);
      return connections.size === 0;
    },
  };
}

/** Sends `100 Continue` when the body is first read, so not for a body that is refused by its headers. */
function continueOnRead(req: HttpRequest, res: HttpResponse): HttpResponse {
  const { shouldKeepAlive } = res;
  // The client may or may not send a refused body: the next bytes could be the body or a new request.
  res.shouldKeepAlive = false;
  req.askForBody = () => {
    if (!res.headersSent) res.writeContinue();
    res.shouldKeepAlive = shouldKeepAlive;
  };
  return res;
}

function parserProblem({ code }: NodeJS.ErrnoException): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return new Problem("headers_too_large", "Send at most 16384 bytes of headers.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Problem("request_timeout", "Send the request faster.");
  return new Problem("bad_request", "The request is not well-formed HTTP.");
}
