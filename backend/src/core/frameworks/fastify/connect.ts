import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest, HTTPMethods, RouteOptions } from "fastify";
import fp from "fastify-plugin";
import { expectJson, parseJson, readJson } from "../../http/request.ts";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { type LogLevel, toMembers, write } from "../../log.ts";
import { bodyTooLarge, notFound, notJson, type Problem } from "../../problem.ts";
import { addCaller, choice, guardRoutes, isConditional, isPublic } from "./public.ts";
import { isStandard, keepCompilers, standardSchema } from "./schema.ts";

/** The hooks and parsers of the core. A route or a plugin that is loaded before this does not have them. */
export const core = fp(
  async (app) => {
    recordRoutes(app);
    addCaller(app);
    guardRoutes(app);
    standardSchema(app);
    jsonBody(app);
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
  app.removeContentTypeParser("application/json");
  // A plugin that has its own parser for JSON can only add it if there is none with this name.
  app.addContentTypeParser(/^application\/json\b/, parse);
  app.addHook("preParsing", (request, _reply, payload, done) => done(findRefusal(request), payload));
}

/** Parsers that the owner adds to the app are not for the routes of this plugin: all bodies but JSON are refused. */
function onlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", parse);
}

/** Reads what the `preParsing` hooks have passed on: a plugin may have decompressed the body. */
async function parse({ raw, routeOptions }: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  return payload === raw ? readJson(raw) : readDecoded(raw, payload, routeOptions.bodyLimit);
}

async function readDecoded(req: IncomingMessage, payload: IncomingMessage, limit: number): Promise<unknown> {
  expectJson(req, true);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of payload) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) throw bodyTooLarge(limit);
  }
  return parseJson(Buffer.concat(chunks));
}

/** Fastify would read a body without a route for it, and validate a missing one, or text, with a Standard Schema. */
function findRefusal({ method, mediaType, is404, routeOptions }: FastifyRequest): Problem | null {
  if (method === "GET" || method === "HEAD") return null;
  if (is404) return notFound();
  const isUnclear = !mediaType || mediaType === "text/plain";
  if (!isUnclear || !isStandard(routeOptions.schema?.body)) return null;
  return notJson();
}

/** As Fastify's types have it. */
type Serialized = Record<"type" | "message" | "stack", string> & Record<string, unknown>;

/** Options of pino, for `app.log` and `request.log`: their lines go to the log of the server, and look like its own. */
export function loggerOptions(level: LogLevel) {
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
  return {
    listener: app.routing,
    routes: listRoutes(app),
    choice,
    close: () => app.close(),
  };
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
  const { method, url, routePath, prefix, bodyLimit, handlerTimeout, schema } = added;
  const isAdded = (one: string) => one === "HEAD" && routePath === "/" && prefix !== "";
  const methods = [method].flat().filter((one) => !isAdded(one));
  return methods.map((one) => ({
    method: one,
    pattern: url.replace(/^\*/, "/*"),
    bodyLimit,
    handlerTimeout,
    // Hooks of a plugin may change it after the route was added.
    get isPublic() {
      return isPublic(added.config);
    },
    isConditional: isConditional(added),
    definition: { ...added, schema, app },
  }));
}
