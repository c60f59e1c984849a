import { openAsBlob, type ReadStream } from "node:fs";
import type { RequestListener, Server } from "node:http";
import { ReadableStream } from "node:stream/web";
import { inspect } from "node:util";
import {
  type AnyElysia,
  type Context,
  type Elysia,
  ElysiaCustomStatusResponse,
  ElysiaFile,
  type InternalRoute,
  NotFoundError,
  ParseError,
  StatusMap,
  ValidationError,
} from "elysia";
import type { ElysiaAdapter } from "elysia/adapter";
import { WebStandardAdapter as web } from "elysia/adapter/web-standard";
import { FastResponse, toNodeHandler } from "srvx/node";
import { parseInTurn, readBody, replaceHeader } from "../../http/request.ts";
import { toAnswer } from "../../http/response.ts";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { notFound, type ProblemBody } from "../../problem.ts";
import type { CoreParts } from "../../start.ts";
import { isPublic } from "./public.ts";
import { InvalidInput, JsonText, nodeRequest, toInputProblem } from "./request.ts";

/**
 * Elysia on Node, with what WebSockets need from the adapter of `@elysiajs/node`: `adapter: node(elysiaNode())`.
 */
export function node({ ws, listen }: Partial<ElysiaAdapter> = {}): ElysiaAdapter {
  return { ...base, ...(ws && { ws }), ...(listen && { listen }) };
}

/**
 * `readJson` reads JSON, an error that no `onError` hook handles becomes a problem, and `app.stop()` runs the `onStop`
 * hooks. The strings become part of the code that Elysia generates for a route. An `onError` hook for that would come
 * before the hooks of plugins, or miss the routes above it.
 */
const base: ElysiaAdapter = {
  ...web,
  handler: { ...web.handler, mapResponse, mapEarlyResponse, mapCompactResponse },
  composeHandler: {
    ...web.composeHandler,
    inject: {
      readJson,
      error: { ParseError, ValidationError: InvalidInput },
    },
    parser: { ...web.composeHandler.parser, json },
  },
  composeGeneralHandler: {
    ...web.composeGeneralHandler,
    error404: (hasEventHook, _, after) => web.composeGeneralHandler.error404(hasEventHook, true, after),
  },
  composeError: {
    ...web.composeError,
    inject: { answer, toError },
    declare: "\nerror=toError(error)\n",
    validationError: "return mapResponse(answer(error,context),set)",
    unknownError: "return mapResponse(answer(error,context),set)",
  },
  async stop(app) {
    for (const { fn } of app.event.stop ?? []) await fn(app);
  },
};

function json(isOptional: boolean): string {
  return `c.body=await readJson(c.request,${isOptional})\n`;
}

/** The body, of any type. For `t.Optional()` and `t.Maybe()`, there may be none. */
async function readJson(request: Request, isOptional: boolean): Promise<unknown> {
  const bytes = await readBody(nodeRequest(request));
  return isOptional && bytes.length === 0 ? undefined : parseInTurn(bytes);
}

/** Text and objects. A web `Response` would take more time than the rest of the answer. */
function mapResponse(response: unknown, set: Context["set"], request?: Request): unknown {
  if (response instanceof ElysiaCustomStatusResponse) {
    set.status = response.code;
    return mapResponse(response.response, set, request);
  }
  if (response instanceof JsonText) {
    set.headers["content-type"] ??= "application/json";
    return mapResponse(response.text, set, request);
  }
  if (response instanceof ElysiaFile) return mapFile(response, set, request);
  const status = readStatus(set);
  const isText = typeof response === "string";
  const isPlain = isText || response?.constructor === Object;
  if (bodiless.includes(status) && (isPlain || !response)) return withoutBody(status, set, request);
  const isSimple = isPlain && !set.cookie && Object.values(set.headers).every(isString);
  if (!isSimple) return passStream(response, web.handler.mapResponse(response, set, request), request);
  const headers = { "content-type": isText ? "text/plain" : "application/json", ...set.headers } as Record<
    string,
    string
  >;
  return new FastResponse(isText ? response : JSON.stringify(response), { status, headers });
}

const readStatus = ({ status = 200 }: Context["set"]) => (typeof status === "string" ? StatusMap[status] : status);

const bodiless = [204, 205, 304];

/** Node refuses even an empty text as the body of these, and `status(204)` has the text "No Content". */
function withoutBody(status: number, set: Context["set"], request?: Request): Response {
  const { headers } = web.handler.mapResponse("", { ...set, status: 200 }, request) as Response;
  headers.delete("content-type");
  return new Response(null, { status, headers });
}

const isFile = (response: unknown) => response instanceof ElysiaFile;

/** On Node, `file()` is a stream, of which Elysia cannot take a part, and which it closes twice; of a `Blob` it can. */
async function mapFile(file: ElysiaFile, set: Context["set"], request?: Request): Promise<unknown> {
  const { path, type, value, stats } = file;
  (value as ReadStream).on("error", () => {}).destroy();
  await stats;
  set.headers["content-type"] ??= type;
  return web.handler.mapResponse(await openAsBlob(path), set, request);
}

/**
 * Elysia frames streams itself, also for a HEAD request and a connection that is to be closed: Node knows better. For
 * HEAD it would read a stream to its end, to count its bytes.
 */
function passStream(given: unknown, answer: unknown, request?: Request): unknown {
  const isRead = given instanceof ReadableStream;
  if (!isRead && !isIterator(given)) return answer;
  return Promise.resolve(answer).then(async (response) => {
    if (request?.method === "HEAD") return withoutStream(response as Response);
    const { headers } = response as Response;
    if (isRead) for (const name of ["transfer-encoding", "connection"]) headers.delete(name);
    return response;
  });
}

const isIterator = (given: unknown) => typeof (given as { next?: unknown } | undefined)?.next === "function";

async function withoutStream({ status, headers, body }: Response): Promise<Response> {
  await body?.cancel();
  for (const name of ["transfer-encoding", "connection"]) headers.delete(name);
  const response = new Response(null, { status, headers });
  // Elysia sets the length of what it has counted.
  Object.assign(response.headers, { set() {} });
  return response;
}

/** Answers that Elysia's adapter does not know, or not in full. */
const isOwn = (response: unknown) => response instanceof ElysiaCustomStatusResponse || response instanceof JsonText;

const isString = (value: unknown) => typeof value === "string";

/** What a hook answers before the handler. */
function mapEarlyResponse(response: unknown, set: Context["set"], request?: Request): unknown {
  if (isOwn(response) || isFile(response)) return mapResponse(response, set, request);
  return passStream(response, web.handler.mapEarlyResponse(response, set, request), request);
}

function mapCompactResponse(response: unknown, request?: Request): unknown {
  const isObject = response?.constructor === Object;
  if (!isObject && !isOwn(response) && !isFile(response))
    return passStream(response, web.handler.mapCompactResponse(response, request), request);
  return mapResponse(response, { status: 200, headers: {} }, request);
}

function answer(error: Error, { request, set }: Pick<Context, "request" | "set">): Response {
  const given = "status" in error ? 0 : readStatus(set);
  const { status, headers, body } = toAnswer(toFailure(error), nodeRequest(request), given);
  return new FastResponse(body, { status, headers });
}

/** Elysia would send any other value that was thrown as the answer. Its `onError` hooks still get it as it is. */
function toError(thrown: unknown): unknown {
  const isAnswer = thrown instanceof Response || thrown instanceof ElysiaCustomStatusResponse || hasAnswer(thrown);
  if (isAnswer || thrown instanceof Error) return thrown;
  return Object.assign(new Error(`non-error thrown: ${inspect(thrown)}`), typeof thrown === "object" && thrown);
}

const hasAnswer = (thrown: unknown) => typeof (thrown as { toResponse?: unknown })?.toResponse === "function";

function toFailure(error: Error): Error {
  if (error instanceof ValidationError) return toInputProblem(error);
  return error instanceof NotFoundError && error.message === "NOT_FOUND" ? notFound() : error;
}

/** Elysia's `redirect()` calls this. Node refuses a relative target, other runtimes do not. */
const { redirect } = Response;
Response.redirect = (url, status = 302) =>
  URL.canParse(url) ? redirect(url, status) : new Response(null, { status, headers: { Location: String(url) } });

/** The type of an app for typed clients. A failure is a problem here, with the members that a route sends. */
export type WithProblems<App extends AnyElysia> = Elysia<
  App["~Prefix"],
  App["~Singleton"],
  App["~Definitions"],
  App["~Metadata"],
  RoutesWithProblems<App["~Routes"]>,
  App["~Ephemeral"],
  App["~Volatile"]
>;

type RoutesWithProblems<Routes> = {
  [Name in keyof Routes]: Routes[Name] extends {
    body: unknown;
    params: unknown;
    query: unknown;
    response: infer Answers;
  }
    ? Omit<Routes[Name], "response"> & { response: AnswersWithProblems<Answers> }
    : RoutesWithProblems<Routes[Name]>;
};

type AnswersWithProblems<Answers> = {
  [Status in keyof Answers]: `${Status & number}` extends `${1 | 2 | 3}${string}`
    ? Answers[Status]
    : `${Status & number}` extends `4${string}`
      ? WithMembers<Exclude<Answers[Status], OwnError>>
      : ProblemBody;
};

/** What Elysia would answer to a fault of validation. */
type OwnError = { type: "validation" };

type WithMembers<Answer> = [Answer] extends [never]
  ? ProblemBody
  : Answer extends object
    ? ProblemBody & Omit<Answer, keyof ProblemBody>
    : ProblemBody;

/** Elysia's app as a request listener of Node. */
export async function toListener(app: AnyElysia, parts: CoreParts): Promise<AppListener> {
  // The routes of async plugins exist only then.
  await app.modules;
  if (app["~adapter"].ws) passUpgrades(app, parts);
  // The adapter of `@elysiajs/node` runs these hooks by itself.
  else parts.server.once("listening", () => start(app));
  const { aot, strictPath = false, handler } = app.config;
  const listener = toNodeHandler((request) => app.fetch(withLazyBody(request))) as RequestListener;
  // Elysia then looks for the path behind four characters of the host.
  const skipsHost = aot === false || handler?.standardHostname !== false;
  return {
    listener(req, res) {
      if (skipsHost && (req.headers.host ?? "").length < 4) replaceHeader(req, "host", "localhost");
      return listener(req, res);
    },
    routes: app.routes.map((route) => toRoute(route, app)),
    // Without code of its own for each route, it prefers others for HEAD.
    ...(aot !== false && { choice: "specific" as const }),
    isStrict: strictPath,
    close: () => app.stop(),
  };
}

/** Runs the `onStart` hooks. */
async function start(app: AnyElysia): Promise<void> {
  for (const { fn } of app.event.start ?? []) await fn(app);
}

/** The adapter of `@elysiajs/node` would start a server. Here it only gets upgrades, for routes with `.ws()`. */
function passUpgrades(app: AnyElysia, { config, server }: CoreParts): void {
  const doNotListen = (inner: object) => Object.assign(inner, { serve: async () => inner });
  app.listen({ port: config.port, plugins: [doNotListen], gracefulShutdown: false } as object, (started) => {
    const { raw } = started as unknown as { raw: { node: { server: Server } } };
    server.on("upgrade", (...args) => raw.node.server.emit("upgrade", ...args));
  });
}

/** Elysia also serves a route at "/items/" at "/items", unless paths are strict. */
function toRoute({ method, path, hooks }: InternalRoute, app: AnyElysia): Route {
  return {
    method: methods[method] ?? method,
    pattern: app.config.strictPath ? path : path.replace(/\/$/, "") || "/",
    bodyLimit: hooks.bodyLimit,
    handlerTimeout: hooks.handlerTimeout,
    isPublic: isPublic(hooks),
    definition: { hooks, app },
  };
}

/** Elysia's words for any method, and for upgrades. */
const methods: Record<string, string> = { ALL: "*", WS: "GET" };

/** Elysia looks at `request.body` to see whether there is one. That must not start to read it. */
function withLazyBody(request: Request): Request {
  if (request.method === "GET" || request.method === "HEAD") return request;
  let body: ReadableStream | undefined;
  const get = () => {
    body ??= ReadableStream.from(readChunks(request));
    return body;
  };
  return Object.defineProperty(request, "body", { get });
}

async function* readChunks(request: Request) {
  yield* nodeRequest(request);
}
