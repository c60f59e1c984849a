import { EventEmitter, once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { getSystemErrorMessage } from "node:util";
import { integer, type Read } from "../environment.ts";
import { logRequest } from "../log.ts";
import {
  type Answer,
  expectationFailed,
  headersTooLarge,
  malformedHttp,
  maxHeaderBytes,
  notFound,
  Problem,
  requestTimeout,
  StartError,
  unavailable,
} from "../problem.ts";
import { Connection, Memory } from "./connection.ts";
import { HttpRequest, hasBody, identify, normalise } from "./request.ts";
import { HttpResponse, handling, restorePrototypes, toProblem } from "./response.ts";
import { type Choice, findLimit, isPlainPath, type Route, Routes, selectRoutes } from "./routes.ts";
import { Upgrade } from "./upgrade.ts";

/** Where the server listens, and its limits. */
export type ServerSettings = ReturnType<typeof readServerSettings>;

export function readServerSettings(read: Read) {
  return {
    host: read("HOST", "127.0.0.1", String),
    port: read("PORT", "3000", integer(0, 65_535)),
    bodyLimitBytes: read("BODY_LIMIT_BYTES", "102400", integer(1)),
    headersTimeoutMs: read("HEADERS_TIMEOUT_MS", "10000", integer(1)),
    requestTimeoutMs: read("REQUEST_TIMEOUT_MS", "20000", integer(1)),
    handlerTimeoutMs: read("HANDLER_TIMEOUT_MS", "10000", integer(1)),
    maxConnections: read("MAX_CONNECTIONS", "10000", integer(1)),
    keepAliveMs: read("KEEP_ALIVE_MS", "75000", integer(1)),
    shutdownTimeoutMs: read("SHUTDOWN_TIMEOUT_MS", "10000", integer(1)),
  };
}

/** What the server needs from an app. */
export interface AppListener {
  /** None if the framework itself listens to the parts' server. */
  listener?(req: IncomingMessage, res: ServerResponse): unknown;
  /** The routes of the framework's router. 405, `Allow`, limits and the route in the log follow from them. */
  routes: Route[];
  /** How the router chooses one of several routes at a path. */
  choice?: Choice;
  /** Whether the router tells `/notes/` from `/notes`. If not, the server refuses such another spelling of a route. */
  isStrict?: boolean;
  /** Runs the hooks that end open streams, when the server begins to drain. The others wait for `AppServer.close`. */
  beginClose?(): void;
  /** Runs the framework's own shutdown hooks. A signal that stops the process is passed to them. */
  close?(signal?: string): unknown;
}

/**
 * The server that an app sees, for packages that need one. It never listens: the server around it passes requests and
 * upgrades to its listeners. As on plain Node, a package may put its own listener in place of the app's.
 */
export class AppServer extends Server {
  /** Calls the app. */
  handle: RequestListener = () => {};
  /** Since the server around it stops: until its connections are closed. */
  drained: Promise<void> | undefined;

  constructor() {
    super();
    this.on("request", (req, res) => this.handle(req, res));
  }

  /** What traces requests wraps this method of `Server`: the server around this one has told it already. */
  override emit(...args: unknown[]): boolean {
    return Reflect.apply(EventEmitter.prototype.emit, this, args);
  }

  /** As on plain Node, `done` is called once the open connections are closed. */
  override close(done?: (error?: Error) => void): this {
    if (!this.drained || !done) return super.close(done);
    void this.drained.then(() => done());
    return this;
  }
}

/** How often timeouts are checked. */
const checkMs = 500;
/** How often connections are looked at for bytes that arrived or wait without a sign. */
const memoryCheckMs = 100;
/** How long an app may take to end its upgraded connections when the server stops. */
const partingMs = 1000;
/** How many turns of the event loop the end of a connection may take. */
const turnsToClose = 10;
const crowded = "Too many requests wait for earlier ones on this connection. Wait for the answers.";
/** What a request takes until it is answered, without its body. */
const requestBytes = 4096;

/**
 * Sees a request before it is routed. It may refuse it by throwing a problem, answer it, and set headers that every
 * answer to it has. `path` is the path without the query.
 */
export type Guard = (req: HttpRequest, headers: OutgoingHttpHeaders, path: string) => Answer | undefined;

/** The HTTP server around any framework's app. It does what Node and the frameworks do not. */
export function createHttpServer(
  app: AppListener,
  config: ServerSettings,
  appServer = new AppServer(),
  guards: Guard[] = [],
) {
  const connections = new Map<Duplex, Connection>();
  const upgrades = new Map<Duplex, Upgrade>();
  const memory = new Memory(function* () {
    yield* connections.values();
    yield* upgrades.values();
  });
  const routes = new Routes(app.routes, app.choice);
  const drained = Promise.withResolvers<void>();
  let isClosing = false;

  const options: ServerOptions<typeof HttpRequest, typeof HttpResponse> = {
    IncomingMessage: HttpRequest,
    ServerResponse: HttpResponse,
    connectionsCheckingInterval: checkMs,
    headersTimeout: Math.min(config.headersTimeoutMs, config.requestTimeoutMs),
    keepAliveTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: config.requestTimeoutMs,
    requireHostHeader: false,
    shouldUpgradeCallback: isForUpgrade,
  };
  const server = createServer(options);
  server.maxHeadersCount = 0;
  server.maxConnections = config.maxConnections;
  server.on("connection", (socket) => {
    connections.set(socket, new Connection(socket, memory, () => fail(socket, unavailable())));
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (req, res) => accept(req, res));
  server.on("checkContinue", (req, res) => accept(req, continueOnRead(req, res)));
  server.on("checkExpectation", (req, res) => accept(req, res, expectationFailed()));
  server.on("upgrade", (req, socket, head) => upgrade(req, socket as Socket, head));
  server.on("connect", (_req, socket) => {
    // Node has removed its own listener.
    socket.on("error", () => {});
    fail(socket, new Problem("bad_request", "This is not a proxy."));
  });
  server.on("clientError", (error, socket) => {
    const isCrowded = connections.get(socket)?.isCrowded;
    fail(socket, isCrowded ? new Problem("bad_request", crowded) : toParserProblem(error));
  });

  function accept(req: HttpRequest, res: HttpResponse, refusal?: Problem): void {
    const connection = connections.get(req.socket);
    if (!connection || req.socket.writableEnded || req.socket.destroyed) return;
    req.carrier = connection;
    req.hold(requestBytes);
    // After a request for an upgrade, Node does not read the bytes that arrived together with it.
    if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    res.once("close", () => {
      restorePrototypes(res);
      const wasOwed = connection.finish(res);
      req.release();
      if (wasOwed && req.startedAt > 0) logRequest(req, res, performance.now() - req.startedAt);
    });
    connection.take(res, () => begin(req, res, refusal));
    if (isClosing) connection.announceClose();
  }

  function begin(req: HttpRequest, res: HttpResponse, refusal?: Problem): void {
    req.startedAt ||= performance.now();
    req.requestId = identify(req);
    try {
      const problem = refusal ?? normalise(req);
      if (problem) {
        // What follows a malformed message may be a part of it.
        res.shouldKeepAlive = false;
        throw problem;
      }
      const answer = admit(res);
      if (hasBody(req) && !memory.hasRoomFor(Math.min(readLength(req), req.bodyLimit))) throw unavailable();
      if (answer) {
        res.send(answer);
        return;
      }
    } catch (error) {
      res.fail(toProblem(error, req));
      return;
    }
    handling.run(res, () => pass(req, res));
  }

  /** Finds the routes of a request and their limits. Throws, or returns an answer, if no handler may get it. */
  function admit(res: HttpResponse): Answer | undefined {
    const { req } = res;
    const { url = "" } = req;
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    req.match = routes.at(path);
    const reached = selectRoutes(req.match, req.method ?? "");
    req.bodyLimit = findLimit(reached, "bodyLimit") ?? config.bodyLimitBytes;
    req.handlerTimeoutMs = findLimit(reached, "handlerTimeout") ?? config.handlerTimeoutMs;
    let answer: Answer | undefined;
    for (const guard of guards) answer ??= guard(req, res.own, path);
    const isFolder = app.isStrict ? path.endsWith("/") : routes.isFolder(path);
    const plainPath = isFolder ? path.slice(0, -1) || "/" : path;
    if (!req.match.isFixed && !isPlainPath(plainPath)) throw notFound();
    return answer;
  }

  /** What a framework does not catch is a failed request, and does not end the process. */
  function pass(req: HttpRequest, res: HttpResponse): void {
    try {
      appServer.emit("request", req, res);
    } catch (error) {
      failUncaught(error, res);
    }
  }
  appServer.handle = async (req, res) => {
    try {
      await app.listener?.(req, res);
    } catch (error) {
      failUncaught(error, res as HttpResponse);
    }
  };

  function failUncaught(error: unknown, res: HttpResponse): void {
    const problem = toProblem(error, res.req);
    if (res.headersSent) res.destroy();
    else res.fail(problem);
  }

  /**
   * Whether a request is passed to the app's listeners for upgrades, if there are any. Else it is a request like any
   * other: HTTP/2 is offered by clients that do not need it, and an earlier request must be answered first.
   */
  function isForUpgrade(req: HttpRequest): boolean {
    const isOffer = req.method === "GET" && !hasBody(req) && !/^h2c\b/i.test(req.headers.upgrade ?? "");
    const isFree = !connections.get(req.socket)?.current && !req.socket.writableEnded;
    return isOffer && isFree && appServer.listenerCount("upgrade") > 0;
  }

  /** Passes a connection to the app, if its request may reach a handler. */
  function upgrade(req: HttpRequest, socket: Socket, head: Buffer): void {
    const res = new HttpResponse(req);
    const own = new Upgrade(res, socket, memory);
    connections.get(socket)?.release();
    connections.delete(socket);
    upgrades.set(socket, own);
    socket.once("close", () => upgrades.delete(socket));
    req.startedAt = performance.now();
    req.requestId = identify(req);
    own.run(() => {
      const problem = isClosing ? unavailable() : normalise(req);
      if (problem) throw problem;
      const answer = admit(res);
      if (answer) own.refuse(answer);
      else appServer.emit("upgrade", req, socket, head);
    });
  }

  /**
   * Ends idle connections, handlers that take too long to begin an answer, counted from the arrival of the whole request,
   * and clients that do not take their answer.
   */
  function check(connection: Connection): void {
    const { current } = connection;
    if (!current) {
      connection.closeAfter(config.keepAliveMs);
      return;
    }
    if (current.hasBegun) {
      connection.cutIfStalled(config.requestTimeoutMs);
      return;
    }
    const { complete, startedAt, endedAt, handlerTimeoutMs } = current.req;
    const isLate = complete && performance.now() - Math.max(startedAt, endedAt) >= handlerTimeoutMs;
    if (isLate && startedAt > 0) connection.replace(current, (instead) => accept(current.req, instead, unavailable()));
  }
  const memoryChecks = setInterval(() => {
    for (const connection of connections.values()) connection.look();
    for (const upgrade of upgrades.values()) upgrade.look();
  }, memoryCheckMs);
  const checks = setInterval(
    () => {
      for (const connection of connections.values()) check(connection);
      for (const one of upgrades.values()) if (one.isLate) one.fail(unavailable());
    },
    Math.min(checkMs, config.handlerTimeoutMs),
  );

  function fail(socket: Duplex, problem: Problem): void {
    const connection = connections.get(socket);
    if (connection && socket.writable) void connection.fail((res) => accept(res.req, res, problem));
    else socket.destroy();
  }

  return {
    /** Whether an error that nothing caught comes from a request. Then it fails that request alone. */
    hasCaused(error: unknown): boolean {
      const res = handling.getStore();
      if (!res) return false;
      const problem = toProblem(error, res.req);
      upgrades.get(res.req.socket)?.fail(problem);
      const connection = connections.get(res.req.socket);
      // It may have been answered already, or be the second error of a request.
      if (connection?.current === res) connection.replace(res, (instead) => accept(res.req, instead, problem));
      return true;
    },

    /** Whoever closes the app's server from now on is told once the connections are closed. */
    announceStop(): void {
      appServer.drained = drained.promise;
    },

    /** Starts to accept connections; returns the port. */
    async listen(): Promise<number> {
      const { host, port } = config;
      await once(server.listen(port, host), "listening").catch(({ errno }) => {
        throw new StartError(`Cannot listen on HOST ${host}, PORT ${port}: ${getSystemErrorMessage(errno)}`);
      });
      appServer.address = () => server.address();
      appServer.emit("listening");
      return (server.address() as AddressInfo).port;
    },

    /** Answers requests in flight and closes every connection; false if some are left at the shutdown limit. */
    async drain(): Promise<boolean> {
      isClosing = true;
      this.announceStop();
      // http.Server's own close() would also stop Node's checks for slow requests.
      NetServer.prototype.close.call(server);
      appServer.close();
      app.beginClose?.();
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
      clearInterval(memoryChecks);
      const isClean = connections.size === 0;
      for (const connection of connections.values()) connection.cut("the shutdown limit was reached");
      // Each logs its request and tells the app when it is closed.
      for (let turn = 0; connections.size > 0 && turn < turnsToClose; turn++) await setImmediate();
      drained.resolve();
      return isClean;
    },

    /** Ends upgraded connections that the app does not end itself. */
    async endUpgrades(): Promise<void> {
      const start = Date.now();
      while (upgrades.size > 0 && Date.now() - start < partingMs) await sleep(25);
      for (const socket of upgrades.keys()) socket.destroy();
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

function toParserProblem({ code }: NodeJS.ErrnoException): Problem {
  if (code === "HPE_HEADER_OVERFLOW") return headersTooLarge();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return requestTimeout();
  return malformedHttp();
}

function readLength({ headers }: HttpRequest): number {
  return Number(headers["content-length"] ?? 0);
}
