import type { IncomingMessage } from "node:http";
import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context, Hono, MiddlewareHandler, TypedResponse } from "hono";
import { createMiddleware } from "hono/factory";
import type { HTTPException } from "hono/http-exception";
import type { RouterRoute } from "hono/types";
import { findTargetHandler, isMiddleware } from "hono/utils/handler";
import type { ClientErrorStatusCode, ContentfulStatusCode, ServerErrorStatusCode } from "hono/utils/http-status";
import { expectJson, HttpRequest, parseInTurn, readBody, toNodeRequest } from "../../http/request.ts";
import { handling, toAnswer } from "../../http/response.ts";
import { markHandler, type Route, readLimits } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { Problem, type ProblemBody, validate } from "../../problem.ts";
import { type Creation, type CreationHeaders, type Json, readCreation } from "../../resource.ts";
import { guardRoutes, isPublic, setCaller } from "./public.ts";

/** `c.req.json()` is the JSON that was sent, of any media type. A body that is not JSON is refused when a handler reads it. */
export const jsonBody = createMiddleware(async (c, next) => {
  c.req.json = async <T>() => (await parseInTurn(await readBytes(c))) as T;
  setCaller(c, nodeRequest(c));
  // Hono takes what a middleware returns for an answer.
  await next();
});

/** The bytes of the body. Where others have read a long one before, only Hono keeps it. */
async function readBytes(c: Context): Promise<Buffer> {
  const req = nodeRequest(c);
  const isKept = Object.keys(c.req.bodyCache).length === 0 || (req instanceof HttpRequest && req.bytesRead);
  return isKept ? readBody(req) : Buffer.from(await c.req.arrayBuffer());
}

/** Node's request, from the context of a route. */
export function nodeRequest({ env, req }: Context): IncomingMessage {
  return (env as HttpBindings | undefined)?.incoming ?? toNodeRequest(req.raw);
}

/** Where a schema finds its value, and what it declares in `openapi.json`. */
const targets = {
  json: { part: "body", read: readJson },
  query: { part: "query", read: readQuery },
  param: { part: "params", read: (c: Context) => c.req.param() },
  header: { part: "headers", read: (c: Context) => c.req.header() },
};

type Target = keyof typeof targets;

/** A typed client may leave out a part that may be empty. */
type Validated<T extends Target, In, Out> = {
  in: Record<never, never> extends In ? { [Name in T]?: In } : { [Name in T]: In };
  out: { [Name in T]: Out };
};

/** Validates a part of a request with a schema: after `sValidator("json", NewItem)`, `c.req.valid("json")` returns it. */
export function sValidator<T extends Target, In extends object, Out extends object>(
  target: T,
  schema: StandardSchemaV1<In, Out>,
): MiddlewareHandler<object, string, Validated<T, In, Out>> {
  const { part, read } = targets[target];
  const middleware = createMiddleware(async (c, next) => {
    c.req.addValidatedData(target, (await validate(schema, await read(c), part)) as object);
    await next();
  });
  return markHandler({ [part]: schema }, middleware);
}

/** A resource takes only what is declared as JSON. */
function readJson(c: Context): Promise<unknown> {
  expectJson(nodeRequest(c));
  return c.req.json();
}

/** As in Hono's validators, a parameter that is repeated is a list. */
function readQuery({ req: { url } }: Context): object {
  if (!url.includes("?")) return {};
  // Without the ampersand the parser would drop a second question mark.
  const query = new URLSearchParams(url.replace(/^[^?]*\?/, "&"));
  const values = new Map<string, string | string[]>();
  for (const [name, value] of query) {
    const before = values.get(name);
    if (Array.isArray(before)) before.push(value);
    else values.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(values);
}

/** Reads the options of a creation from its headers; then `c.var.creation` has them. */
export const creation = createMiddleware<
  { Variables: { creation: Creation } },
  string,
  { in: { header?: CreationHeaders } }
>(async (c, next) => {
  c.set("creation", readCreation(nodeRequest(c)));
  await next();
});

/** Like `c.json`, for a value that is JSON text already. Typed clients read it as a value of the type. */
export function sendJson<T, S extends ContentfulStatusCode = 200>(
  c: Context,
  text: Json<T>,
  status = 200 as S,
  headers: Record<string, string> = {},
) {
  const response: unknown = c.body(text, status, { "Content-Type": "application/json", ...headers });
  return response as TypedResponse<T, S, "json">;
}

/** Answers with the problem that an error stands for. */
export function sendProblem(error: Error, c: Context): Response {
  const own = readResponse(error);
  if (own) return c.newResponse(own.body, own);
  const { status, headers, body } = toAnswer(error, nodeRequest(c));
  return c.body(body, status as ContentfulStatusCode, headers);
}

/**
 * The response that an HTTPException was made with. The server makes a problem of a failing one, with its members. A message
 * says more than a text: Hono's own middleware makes one of the phrase.
 */
function readResponse(error: Error): Response | undefined {
  if (!("getResponse" in error && "res" in error && error.res)) return undefined;
  const response = (error as HTTPException).getResponse();
  const { status, headers } = response;
  const saysMore = error.message === "" || /\bjson\b/.test(headers.get("Content-Type") ?? "");
  return status < 400 || (status < 500 && saysMore) ? response : undefined;
}

/** What every route may answer instead, for typed clients. */
export type Failures = Record<ClientErrorStatusCode | ServerErrorStatusCode, { json: ProblemBody }>;

/** Hono's app, with any variables and bindings, as a request listener of Node. */
export function toListener(app: Routed & Pick<Hono<never>, "fetch">): AppListener {
  const routes = findRoutes(app);
  guardRoutes(app, routes);
  return {
    listener: getRequestListener(app.fetch, { errorHandler: answerThrown }),
    routes,
    choice: "first",
    // Not with `new Hono({ strict: false })`.
    isStrict: findPath(app, "/a/") === "/a/",
  };
}

/** Hono's `onError` gets only instances of `Error`; and it can fail, too. */
function answerThrown(thrown: unknown): Response {
  const error = thrown instanceof RequestError ? new Problem("bad_request", thrown.message) : thrown;
  const { status, headers, body } = toAnswer(error, handling.getStore()?.req ?? {});
  return new Response(body, { status, headers });
}

type Routed = Pick<Hono<never>, "router" | "routes" | "getPath">;
type HonoRoute = Route & { inHono: RouterRoute };

/** What the router looks for. An app may also look at the host. */
function findPath({ getPath }: Pick<Routed, "getPath">, path: string): string {
  return getPath({ url: `http://host${path}`, headers: probe } as Request);
}

const probe = new Headers({ host: "host" });

/** Hono lists every handler and middleware of a route, and what `use` has added before it. */
function findRoutes({ routes, router, getPath }: Routed): HonoRoute[] {
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
        takesPath(asked: string, by: string) {
          const target = findPath({ getPath }, asked);
          return router.match(by === "HEAD" ? "GET" : by, target)[0].some(([[, one]]) => one === route.inHono);
        },
      };
    });
}

/** Whether a middleware at `/admin/*` or `/admin` is called for every request to a route. */
function covers(place: string, path: string): boolean {
  const [, above, isPrefix] = /^((?:\/[\w.~-]+)*)(\/\*)?$/.exec(place) ?? [];
  return above !== undefined && (path === above || (isPrefix !== undefined && path.startsWith(`${above}/`)));
}
