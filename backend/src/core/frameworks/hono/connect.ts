import type { IncomingMessage } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context, Hono, TypedResponse } from "hono";
import { createMiddleware } from "hono/factory";
import type { RouterRoute } from "hono/types";
import { findTargetHandler, isMiddleware } from "hono/utils/handler";
import type { ClientErrorStatusCode, ContentfulStatusCode, ServerErrorStatusCode } from "hono/utils/http-status";
import { readJson, toNodeRequest } from "../../http/body.ts";
import { toAnswer } from "../../http/response.ts";
import { markHandler, type Route, readLimits } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { type ProblemBody, validate } from "../../problem.ts";
import { type Creation, type Page, readCreation, readPage } from "../../resource.ts";
import { choice, guardRoutes, isPublic, setCaller } from "./public.ts";

/** `c.req.json()` is the JSON that was sent. Other bodies are refused when a handler reads it. */
export const jsonBody = createMiddleware((c, next) => {
  c.req.json = <T>() => readJson(nodeRequest(c)) as Promise<T>;
  setCaller(c, nodeRequest(c));
  return next();
});

/** Node's request, from the context of a route. */
export function nodeRequest({ env, req }: Context): IncomingMessage {
  return (env as HttpBindings | undefined)?.incoming ?? toNodeRequest(req.raw);
}

/** Validates the body with a schema; then `c.req.valid("json")` returns it. */
export function valid<In extends object, Out extends object>(schema: StandardSchemaV1<In, Out>) {
  const middleware = createMiddleware<object, string, { in: { json: In }; out: { json: Out } }>(async (c, next) => {
    c.req.addValidatedData("json", await validate(schema, await c.req.json()));
    await next();
  });
  return markHandler({ body: schema }, middleware);
}

type PageQuery = { in: { query?: { limit?: string; cursor?: string } }; out: { query: Page } };

/** Validates the query of a list; then `c.req.valid("query")` returns the page that it asks for. */
export const pageQuery = createMiddleware<object, string, PageQuery>((c, next) => {
  c.req.addValidatedData("query", readPage(c.req));
  return next();
});

/** Reads the options of a creation from its headers; then `c.var.creation` has them. */
export const creation = createMiddleware<{ Variables: { creation: Creation } }>((c, next) => {
  c.set("creation", readCreation(nodeRequest(c)));
  return next();
});

/** Answers with JSON text, which typed clients read as a value of the type. */
export function sendJson<T, S extends ContentfulStatusCode = 200>(c: Context, text: string, status = 200 as S) {
  const response: unknown = c.body(text, status, { "Content-Type": "application/json" });
  return response as TypedResponse<T, S, "json">;
}

/** Answers with the problem that an error stands for. */
export function sendProblem(error: Error, c: Context): Response {
  const { status, headers, body } = toAnswer(error, nodeRequest(c));
  return c.body(body, status as ContentfulStatusCode, headers);
}

/** What every route may answer instead, for typed clients. */
export type Failures = Record<ClientErrorStatusCode | ServerErrorStatusCode, { json: ProblemBody }>;

/** Hono's app as a request listener of Node. */
export function toListener(app: Pick<Hono, "fetch" | "router" | "routes">): AppListener {
  const routes = findRoutes(app);
  guardRoutes(app, routes);
  return {
    listener: getRequestListener(app.fetch),
    routes,
    choice,
  };
}

type HonoRoute = Route & { inHono: RouterRoute };

/** Hono lists every handler and middleware of a route, and what `use` has added before it. */
function findRoutes({ routes }: Pick<Hono, "routes">): HonoRoute[] {
  const all = routes.map((one) => ({ ...one, handler: findTargetHandler(one.handler), inHono: one }));
  return all
    .filter(({ method, handler }) => method !== "ALL" || !isMiddleware(handler))
    .map((route) => {
      const { method, path } = route;
      const before = all.slice(0, all.indexOf(route)).filter((one) => one.method === "ALL" && covers(one.path, path));
      const same = all.filter((one) => one.method === method && one.path === path);
      const own = [...before, ...same].map(({ handler }) => handler);
      return {
        method: method === "ALL" ? "*" : method,
        pattern: path,
        ...readLimits(own),
        isPublic: own.includes(isPublic),
        definition: own,
        inHono: route.inHono,
      };
    });
}

/** Whether a middleware at `/admin/*` or `/admin` is called for every request to a route. */
function covers(place: string, path: string): boolean {
  const [, above, isPrefix] = /^((?:\/[\w.~-]+)*)(\/\*)?$/.exec(place) ?? [];
  return above !== undefined && (path === above || (isPrefix !== undefined && path.startsWith(`${above}/`)));
}
