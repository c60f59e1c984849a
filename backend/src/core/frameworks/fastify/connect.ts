import type { IncomingMessage } from "node:http";
import {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type HTTPMethods,
  LogController,
  type RouteOptions,
} from "fastify";
import fp from "fastify-plugin";
import { expectJson, HttpRequest, parseInTurn, readBody, readJson } from "../../http/request.ts";
import { toAnswer } from "../../http/response.ts";
import { type Route, selectRoutes } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { type LogLevel, toMembers, write } from "../../log.ts";
import { bodyTooLarge, notFound, notJson, Problem } from "../../problem.ts";
import type { CoreParts } from "../../start.ts";
import { addCaller, guardRoutes, isConditional, isPublic } from "./public.ts";
import { keepCompilers, standardSchema } from "./schema.ts";

/** Options of an app in the server of the parts. Yours may follow: `Fastify({ ...serverOptions(parts), ajv: { … } })`. */
export function serverOptions({ config, server }: CoreParts) {
  return {
    bodyLimit: config.bodyLimitBytes,
    logger: loggerOptions(config.logLevel),
    // The server writes a line for each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    requestIdHeader: "x-request-id",
    // Fastify would answer 404 for a parameter over 100 characters, even if the item exists.
    routerOptions: { maxParamLength: 16_384 },
    // The server around it calls the app (`toListener`).
    serverFactory: () => server,
    // The server decides what is still answered when it stops.
    return503OnClosing: false,
  };
}

/** The hooks and parsers of the core. A route or a plugin that is loaded before this does not have them. */
export const core = fp(
  async (app) => {
    recordRoutes(app);
    addCaller(app);
    guardRoutes(app);
    standardSchema(app);
    recordLimits(app);
    jsonBody(app);
    refuseMethods(app);
    keepFound(app);
  },
  { name: "core" },
);

/** Makes the routes of a plugin independent of the parsers and compilers that its app has. */
export const isolated = fp(
  async (app) => {
    keepCompilers(app);
    onlyJson(app);
  },
  { name: "isolated" },
);

/** `request.body` is the JSON that was sent to a route. Parsers for other types may be added, as usual. */
function jsonBody(app: FastifyInstance): void {
  const { onProtoPoisoning = "error", onConstructorPoisoning = "error" } = app.initialConfig;
  const parseSafely = app.getDefaultJsonParser(onProtoPoisoning, onConstructorPoisoning);
  app.removeContentTypeParser("application/json");
  // A plugin that has its own parser for JSON can only add it if there is none with this name.
  app.addContentTypeParser(json, async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await readBytes(request, payload);
    const body = await parseInTurn(bytes);
    if (!suspects.some((text) => bytes.includes(text))) return body;
    return new Promise((resolve, reject) => {
      parseSafely(request, bytes.toString(), (error, safe) => (error ? reject(poisoned()) : resolve(safe)));
    });
  });
  const { hasContentTypeParser } = app;
  app.hasContentTypeParser = function (this: object, type) {
    const has = (one: string | RegExp) => Reflect.apply(hasContentTypeParser, this, [one]);
    return has(type) || (type === "application/json" && has(json));
  };
}

const json = /^application\/json\b/;

/** What a body has, perhaps escaped, with a key that Fastify refuses: copied into another object, it would be its prototype. */
const suspects = ["__proto__", "constructor", "\\u"];

const poisoned = () => new Problem("bad_request", "The body has a key that is not allowed: __proto__ or constructor.");

/** Parsers that the owner adds to the app are not for the routes of this plugin: all bodies but JSON are refused. */
function onlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
    // Content of a DELETE has no defined meaning (RFC 9110, section 9.3.5).
    if (request.method === "DELETE") return undefined;
    if (payload !== request.raw) return parseInTurn(await readBytes(request, payload));
    keepLimit(request);
    return readJson(request.raw);
  });
  // Fastify would validate a body that is missing.
  app.addHook("preParsing", ({ mediaType, routeOptions }, _reply, payload, done) =>
    done(routeOptions.schema?.body && !mediaType ? notJson() : null, payload),
  );
}

/** Answers with the problem that an error stands for. */
export async function sendProblem(error: unknown, { raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { status, headers, body } = toAnswer(error, raw, reply.statusCode);
  return reply.code(status).headers(headers).send(body);
}

/** Answers requests without a route. Fastify would read their bodies first. */
export const unknownPaths: FastifyPluginAsync = async (app) => {
  app.addHook("preParsing", async ({ method }) => {
    if (method !== "GET" && method !== "HEAD") throw notFound();
  });
  app.setNotFoundHandler(async () => {
    throw notFound();
  });
};

/** Refuses a method that a path does not have before its body is read, also where the owner has a not-found handler. */
function refuseMethods(app: FastifyInstance): void {
  app.addHook("preParsing", ({ is404, raw }, _reply, payload, done) => {
    const { match, method = "" } = raw as Partial<HttpRequest>;
    const isRead = method === "GET" || method === "HEAD";
    const isRefused = is404 && !isRead && match?.allow && selectRoutes(match, method).length === 0;
    done(isRefused ? notFound() : null, payload);
  });
}

/** Its router also takes an empty parameter, and `rewriteUrl` changes paths: the log names the route that it has found. */
function keepFound(app: FastifyInstance): void {
  app.addHook("onRequest", ({ is404, raw, method, routeOptions: { url: pattern = "*" } }, _reply, done) => {
    const { match } = raw as Partial<HttpRequest>;
    if (!is404 && match && selectRoutes(match, method).length === 0)
      Object.assign(raw, { match: { ...match, routes: [{ method, pattern }], known: new Map() } });
    done();
  });
}

/** Reads what the `preParsing` hooks have passed on: a plugin may have decompressed the body. */
async function readBytes({ raw, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  expectJson(raw, payload !== raw);
  keepLimit({ raw, routeOptions });
  return payload === raw ? readBody(raw) : readDecoded(payload, routeOptions.bodyLimit);
}

/** JSON has the limit of its route. Another parser of this route may have a larger one. */
function keepLimit({ raw, routeOptions }: Pick<FastifyRequest, "raw" | "routeOptions">): void {
  if (raw instanceof HttpRequest) raw.bodyLimit = Math.min(raw.bodyLimit, routeOptions.bodyLimit);
}

/** As in Fastify, a stream that fails is the client's fault, unless its error says otherwise. */
async function readDecoded(payload: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await readStream(payload, limit);
  } catch (error) {
    throw "statusCode" in Object(error) ? error : new Problem("bad_request", "The body cannot be decoded.");
  }
}

async function readStream(payload: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload) {
    // A hook may pass on text.
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    size += bytes.length;
    if (size > limit) throw bodyTooLarge(limit);
  }
  return Buffer.concat(chunks);
}

/** As Fastify's types have it. */
type Serialized = Record<"type" | "message" | "stack", string> & Record<string, unknown>;

/** Options of pino, for `app.log` and `request.log`: their lines go to the log of the server, and look like its own. */
function loggerOptions(level: LogLevel) {
  return {
    level,
    base: null,
    messageKey: "message",
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: {
      err: toMembers as (error: unknown) => Serialized,
      // Headers and the query are never logged.
      req: ({ method }: { method: string }) => ({ method }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
    stream: { write },
  };
}

/** Fastify's app as a request listener of Node. */
export async function toListener(app: FastifyInstance): Promise<AppListener> {
  await app.ready();
  await expectListening(app);
  let closing: Promise<undefined> | undefined;
  const close = () => {
    closing ??= app.close();
    return closing;
  };
  return {
    listener: app.routing,
    routes: listRoutes(app),
    choice: "specific",
    // What fails is thrown by `close`.
    beginClose: () => void close().catch(() => {}),
    close,
  };
}

/** Has Fastify wait until the server around it listens, as if it had called `listen()` itself: then its `onListen` hooks run. */
function expectListening(app: FastifyInstance): Promise<unknown> {
  const { server } = app;
  return new Promise((resolve) => {
    server.listen = () => {
      // Its own method is back.
      Reflect.deleteProperty(server, "listen");
      resolve(undefined);
      return server;
    };
    // An app that listens somewhere already refuses this.
    app.listen({ host: "127.0.0.1" }).catch(resolve);
  });
}

/** The largest limit that parsers of an app have. */
const limits = new WeakMap<object, number>();

/** A parser may have its own limit: so many bytes must reach the routes that can use it. */
function recordLimits(app: FastifyInstance): void {
  const { addContentTypeParser, removeAllContentTypeParsers } = app;
  app.addContentTypeParser = function (this: object, ...added: unknown[]) {
    const { bodyLimit = 0 } = (added[1] ?? {}) as { bodyLimit?: number };
    limits.set(this, Math.max(bodyLimit, findLimit(this)));
    return Reflect.apply(addContentTypeParser, this, added);
  };
  app.removeAllContentTypeParsers = function (this: object) {
    limits.set(this, 0);
    Reflect.apply(removeAllContentTypeParsers, this, []);
  };
}

/** A plugin has the parsers of the app around it, which is its prototype. */
function findLimit(app: object | null): number {
  return app ? (limits.get(app) ?? findLimit(Object.getPrototypeOf(app))) : 0;
}

const lists = new WeakMap<object, Route[]>();

/** Records the routes that are added after this. */
function recordRoutes(app: FastifyInstance): void {
  const routes: Route[] = [];
  lists.set(app, routes);
  app.addHook("onRoute", function (route) {
    routes.push(...toRoutes(route, this));
  });
}

/** The recorded routes of an app, also those of its plugins. */
function listRoutes(app: FastifyInstance): Route[] {
  const routes = lists.get(app) ?? [];
  return [...routes, ...routes.filter((route) => hasRoute(app, addSlash(route))).map(addSlash)];
}

/** With a prefix, Fastify adds a route at "/" twice, and reports it once. */
const addSlash = (route: Route): Route => ({ ...route, pattern: `${route.pattern}/`, isAlias: true });

const hasRoute = (app: FastifyInstance, { method, pattern }: Route) =>
  !pattern.includes("*") && app.hasRoute({ method: method as HTTPMethods, url: pattern });

type Added = RouteOptions & { routePath: string; prefix: string };

/** For a GET at "/items" Fastify also adds a HEAD at "/items/". */
function toRoutes(added: Added, app: FastifyInstance): Route[] {
  const { method, url, routePath, prefix, bodyLimit, schema } = added;
  const usual: Pick<FastifyServerOptions, "bodyLimit" | "handlerTimeout"> = app.initialConfig;
  const handlerTimeout = added.handlerTimeout ?? (usual.handlerTimeout || undefined);
  const isAdded = (one: string) => one === "HEAD" && routePath === "/" && prefix !== "";
  const methods = [method].flat().filter((one) => !isAdded(one));
  return methods.map((one) => ({
    method: one,
    pattern: url.replace(/^\*/, "/*"),
    handlerTimeout,
    // Parsers may be added after the route.
    get bodyLimit() {
      return bodyLimit ?? Math.max(usual.bodyLimit ?? 0, findLimit(app));
    },
    // Hooks of a plugin may change it after the route was added.
    get isPublic() {
      return isPublic(added.config);
    },
    isConditional: isConditional(added),
    definition: { ...added, schema, app },
  }));
}
