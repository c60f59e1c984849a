import { METHODS } from "node:http";
import { inspect } from "node:util";
import Router from "@koa/router";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import Koa, { type Context, type DefaultState, type Middleware } from "koa";
import { type HttpRequest, hasJson, readInto, takeJson } from "../../http/request.ts";
import { logFailure, toAnswer } from "../../http/response.ts";
import { isForRoute, isValidated, markHandler, type Route, readLimits, selectRoutes } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { notFound, Problem, validate } from "../../problem.ts";
import { guardLayer, guardMiddleware, isConditional, isPublic, setCaller } from "./public.ts";

declare module "koa" {
  interface Request {
    body?: unknown;
  }
}

const koa = new Koa();

// The parsers of packages set it, but leave JSON that was read before them alone.
Object.defineProperty(Object.getPrototypeOf(koa.request), "rawBody", {
  configurable: true,
  get(this: Koa.Request) {
    // Of a compressed body, a parser sets the text that it has decoded.
    return this.get("Content-Encoding") ? undefined : (this.req as HttpRequest).bytesRead?.toString();
  },
  set(this: Koa.Request, value: unknown) {
    Object.defineProperty(this, "rawBody", { configurable: true, writable: true, value });
  },
});

/** `ctx.request.body` is the JSON that was sent to a route. Bodies of other types, and those of mounted apps, are left to others. */
export const jsonBody: Middleware = async (ctx, next) => {
  const { match, method = "", headers } = ctx.req as HttpRequest;
  const isRouted = !match || selectRoutes(match, method).length > 0;
  // Parsers below read a body only if this is undefined. A client may hold it back until it is read.
  const isHeldBack = headers.expect !== undefined;
  if ((isRouted || isHeldBack) && hasJson(ctx.req)) ctx.request.body = null;
  if (isForRoute(ctx.req)) await readInto(ctx.request, ctx.req, isValidated(ctx.req));
  await next();
};

/** Validates the JSON in `ctx.request.body` with a schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>): Middleware<DefaultState, { request: { body: T } }> {
  return markHandler({ body: schema }, async (ctx, next) => {
    // The path may have been another one when bodies were read.
    if (ctx.request.body === undefined) await readInto(ctx.request, ctx.req, true);
    ctx.request.body = await validate(schema, takeJson(ctx.req, ctx.request.body));
    await next();
  });
}

/** Koa emits some errors twice. */
const logged = new WeakSet<object>();

/** Koa's own way to answer an error. An app may have another one for the errors of its owner. */
const { onerror } = koa.context;

/** Answers with the problem that an error stands for: all errors of the middleware below it, and that nothing has answered. */
export const sendProblems: Middleware = async (ctx, next) => {
  try {
    await next();
    if (ctx.status === 404 && ctx.body == null && ctx.respond !== false && !ctx.headerSent) throw notFound();
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(`non-error thrown: ${inspect(thrown)}`);
    if (ctx.onerror !== onerror && !(thrown instanceof Problem)) {
      logError(error, ctx);
      throw thrown;
    }
    const { status, headers, body } = toAnswer(withoutMessage(thrown), ctx.req);
    // As Koa does.
    for (const name of ctx.res.getHeaderNames()) ctx.remove(name);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
    logged.add(error);
    ctx.app.emit("error", error, ctx);
  }
};

/** As in Koa, the message of an error is for clients only if it says so (`expose`), as those of `ctx.throw` do. */
function withoutMessage(thrown: unknown): unknown {
  const isHidden = thrown instanceof Error && !("expose" in thrown);
  return isHidden ? Object.create(thrown, { expose: { value: false } }) : thrown;
}

/** Logs what fails elsewhere, like a stream that is being sent, and ends that answer: Koa would leave it open. */
export function logError(error: Error, ctx?: Context): void {
  if (ctx?.headerSent) ctx.res.destroy();
  if (logged.has(error)) return;
  logged.add(error);
  logFailure(error, ctx?.req);
}

/** Koa's app as a request listener of Node. */
export function toListener<State extends DefaultState, Own>(own: Koa<State, Own>): AppListener {
  const app = own as unknown as Koa;
  const routes = findRoutes(app);
  app.middleware.unshift(setCaller);
  guardMiddleware(app);
  return {
    listener: app.callback(),
    routes,
    choice: "first",
    close: () => Promise.all(app.listeners("close").map((close) => close())),
  };
}

/** The routes of all routers that the app uses. */
function findRoutes({ middleware }: Koa): Route[] {
  const routers = middleware.flatMap((one) => ("router" in one ? [one.router as Router] : []));
  return routers.flatMap((router) =>
    router.stack.flatMap((layer, index) => {
      const { methods, path, stack } = layer;
      const handlers = [...router.stack.slice(0, index).flatMap((before) => findHandlers(path, before)), ...stack];
      const route = {
        pattern: typeof path === "string" ? path : "/*",
        ...readLimits(handlers),
        isPublic: handlers.includes(isPublic),
        isConditional: isConditional(router),
        definition: stack,
        takesPath: (asked: string) => asked.search(layer.regexp) >= 0,
      };
      const found = (methods.length > METHODS.length ? ["*"] : methods).map((method) => ({ method, ...route }));
      guardLayer(layer, found);
      return found;
    }),
  );
}

/** The handlers that `router.use` has added for a path. */
function findHandlers(path: Layer["path"], { methods, stack, ...layer }: Layer): Layer["stack"] {
  return methods.length === 0 && typeof path === "string" && layer.regexp.test(path) ? stack : [];
}

type Layer = Router["stack"][number];

const { register } = Router.prototype;

// Paths are exact, unless a router's options say otherwise. `src/main.ts` imports this before the app.
Router.prototype.register = function (path, methods, handler, options) {
  const { sensitive = this.opts.sensitive ?? true } = options ?? {};
  return register.call(this, path, methods, handler, { ...options, sensitive });
};
