import type { RequestListener } from "node:http";
import {
  type H3,
  type H3Event,
  type H3Route,
  type HTTPError,
  HTTPResponse,
  isMethod,
  type Middleware,
  serve,
} from "h3";
import {
  expectJson,
  findMalformedJson,
  type HttpRequest,
  isJson,
  parseInTurn,
  readBody,
  readJson,
  toNodeRequest,
} from "../../http/request.ts";
import { toAnswer } from "../../http/response.ts";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { invalidInput, notFound, Problem } from "../../problem.ts";
import { readCreation } from "../../resource.ts";
import { guardRoutes, isPublic, setCaller } from "./public.ts";

declare module "h3" {
  interface H3RouteMeta {
    /** How many bytes the body may have: `app.post("/import", handler, { meta: { bodyLimit: 5_000_000 } })`. */
    bodyLimit?: number;
    /** The schema of the JSON that the route reads, for `openapi.json`: `{ meta: { body: Note } }`. */
    body?: unknown;
    /** Schemas of what the route answers, by status, for `openapi.json`: `{ meta: { answers: { 201: Note } } }`. */
    answers?: Record<number, unknown>;
    /** What `openapi.json` says about the route, as in Nitro: `{ meta: { openAPI: { summary: "…", tags: ["notes"] } } }`. */
    openAPI?: { summary?: string; description?: string; tags?: string[]; operationId?: string; deprecated?: boolean };
    /** How many milliseconds the handler may take until it begins to answer. */
    handlerTimeout?: number;
  }
}

/**
 * The body of a request with JSON can be read more than once, in several forms. JSON of any type is checked when it is
 * read as JSON, also with a validator. It also sets the caller.
 */
export const jsonBody: Middleware = (event) => {
  const req = nodeRequest(event);
  setCaller(event, req);
  if (!event.context.matchedRoute || isMethod(event, ["GET", "HEAD"])) return;
  const json = async () => parseInTurn(await readBody(req));
  const text = async () => new TextDecoder().decode(await readBody(req));
  Object.assign(event.req, isJson(req) ? { json, text } : { json });
};

/** For a route that takes JSON, `{ middleware: [jsonOnly] }`, or for all with `app.use(jsonOnly)`: refuses a body of another type, and a request without one. */
export const jsonOnly: Middleware = (event) => {
  if (!event.context.matchedRoute || !isMethod(event, ["POST", "PUT", "PATCH"])) return;
  const req = nodeRequest(event);
  expectJson(req);
  // h3 reads JSON as text: it takes an empty body for none, and replaces what is not UTF-8.
  const text = async () => {
    await readJson(req);
    return (await readBody(req)).toString();
  };
  Object.assign(event.req, { text });
};

/**
 * For h3's validators: with `readValidatedBody(event, NewItem, { onError: refuse })`, an invalid body is a 422 instead of a
 * 400. So it is with `validate: { body, onError: refuse }` in `defineValidatedHandler`, where other parts stay a 400.
 */
export const refuse = ({ _source, issues }: Failure) => invalidInput(issues, _source);

/** The same for `getValidatedQuery(event, Filter, { onError: refuseQuery })`: the answer names the parameter that is wrong. */
export const refuseQuery = ({ issues }: Failure) => invalidInput(issues, "query");

type Failure = { _source?: string; issues: Parameters<typeof invalidInput>[0] };

/** A validator of h3 puts another object in place of the request, which cannot be read in its place. */
const nodeRequests = new WeakMap<H3Event, object>();

export function nodeRequest(event: H3Event): HttpRequest {
  const { runtime } = event;
  return (runtime?.node?.req ??
    nodeRequests.getOrInsertComputed(event, ({ req }) => toNodeRequest(req))) as HttpRequest;
}

/** The options of a creation, from its headers. */
export const getCreation = (event: H3Event) => readCreation(nodeRequest(event));

/** An answer with JSON text: h3 itself sends a string as plain text. */
export const json = (
  text: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) => new HTTPResponse(text, { status, headers: { "Content-Type": "application/json", ...headers } });

/** Answers with the problem that an error stands for. */
export function sendProblem(error: HTTPError, event: H3Event): Response | undefined {
  // h3 answers what is no failure, like a redirect.
  if (error.status < 400 && !error.unhandled) return undefined;
  const { status, headers, body } = toAnswer(findCause(error, event), nodeRequest(event));
  // As h3 does: a failure has only the headers that are meant for it.
  return new Response(body, { status, headers: [...event.res.errHeaders, ...Object.entries(headers)] });
}

/** The cause of an h3 error: what a handler or a validator threw, or the error itself. */
function findCause(error: HTTPError, event: H3Event): unknown {
  if (error.unhandled) return findThrown(error);
  if (error.status === 404 && !event.context.matchedRoute) return notFound();
  // h3's readers say no more.
  if (error.status === 400 && error.message === "Invalid JSON body")
    return findMalformedJson(nodeRequest(event)) ?? new Problem("malformed_json", "The body is not valid JSON.");
  const { cause } = (error.cause ?? {}) as { cause?: unknown };
  return cause instanceof Problem ? cause : error;
}

/** What a Node.js middleware threw is wrapped once more. */
function findThrown(error: HTTPError): unknown {
  const { cause } = error;
  return cause instanceof Error ? cause : ((cause as { cause?: unknown } | undefined)?.cause ?? cause ?? error);
}

/** h3's app as a request listener of Node. */
export function toListener(app: H3): AppListener {
  // It never listens. Closing it waits for background tasks (`event.waitUntil`).
  const server = serve(app, { manual: true, gracefulShutdown: false, silent: true });
  const find = app["~findRoute"].bind(app);
  const routes = app["~routes"].map(
    (one): Route => ({
      ...toRoute(one),
      // What the router looks at.
      takesPath: (path, method) => find({ req: { method }, url: { pathname: path } } as H3Event)?.data === one,
    }),
  );
  guardRoutes(app, routes);
  return {
    listener: server.node?.handler as RequestListener,
    routes,
    choice: "known",
    close: () => server.close(),
  };
}

function toRoute({ method, route = "/", meta, handler }: H3Route): Route {
  return {
    method: method || "*",
    pattern: route.replace(/(?<=.)\/$/, ""),
    bodyLimit: meta?.bodyLimit,
    handlerTimeout: meta?.handlerTimeout,
    isPublic: isPublic(meta),
    definition: { handler, meta },
  };
}
