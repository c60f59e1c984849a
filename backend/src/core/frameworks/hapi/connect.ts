import type { Transform } from "node:stream";
import type {
  Lifecycle,
  Plugin,
  Request,
  RequestEvent,
  RequestRoute,
  ResponseToolkit,
  RouteOptions,
  Server,
  ServerOptions,
} from "@hapi/hapi";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type HttpRequest, hasBody, readBody, readJson } from "../../http/request.ts";
import { describesBody, toAnswer } from "../../http/response.ts";
import { markHandler, type Route, selectRoutes } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { log } from "../../log.ts";
import { notFound, Problem, readFaults, validate } from "../../problem.ts";
import { decidesNames } from "../../resource.ts";
import type { CoreParts } from "../../start.ts";
import { addStrategy, guardInjected, guardRoute, isConditional, isPublic, publicRoute, setCaller } from "./public.ts";

/** The extensions of the core. Extensions run in the order in which they are added: these come first. */
export const core: Plugin<void> = {
  name: "core",
  register(server) {
    addStrategy(server);
    server.ext("onRequest", setCaller);
    // Last, after extensions that change the URL or the method.
    server.ext("onPreStart", () => server.ext("onRequest", skipPayload));
    server.ext("onPreAuth", guardRoute);
    server.ext("onPreAuth", jsonPayload);
    server.ext("onCredentials", guardInjected);
    server.ext("onCredentials", latePayload);
    server.ext("onPostAuth", latePayload);
    server.ext("onPreResponse", setStatus);
    server.events.on({ name: "request", channels: "error" }, logUnsent);
  },
};

/**
 * For routes that use no cookies, and whose answers are always whole and never stored. hapi would refuse malformed
 * cookies, serve ranges of answers, and let caches store them.
 */
export const apiDefaults: RouteOptions = { cache: false, response: { ranges: false }, state: { failAction: "ignore" } };

/** For health checks: public, whatever strategy is the default. */
export const healthOptions: RouteOptions = {
  ...apiDefaults,
  ...publicRoute,
};

/** The server around hapi listens, logs, and has the timeouts. */
export function serverOptions({ config, server }: CoreParts): ServerOptions {
  return {
    autoListen: false,
    // hapi would print errors as text. The server logs them.
    debug: false,
    listener: server,
    // The server waits for its connections itself.
    operations: { cleanStop: false },
    routes: {
      payload: { maxBytes: config.bodyLimitBytes, timeout: false },
      response: { failAction: refuseAnswer },
      validate: {
        failAction: refuseInput,
      },
    },
  };
}

/** hapi would hide what is wrong, and takes everything that a validator throws for a fault of the client. */
function refuseInput(_request: Request, _h: ResponseToolkit, error?: Error): never {
  if (error instanceof SchemaFailure) throw error.cause;
  const { data } = error as { data?: { defaultError?: Error } };
  throw error instanceof Problem || readFaults(error ?? {}).length > 0 ? error : (data?.defaultError ?? error);
}

/** A schema has failed, which is not the client's fault. */
class SchemaFailure extends Error {}

/** An answer that its schema refuses is a fault of this backend, and not of its client. */
function refuseAnswer(_request: Request, _h: ResponseToolkit, error?: Error): never {
  const cause = error instanceof SchemaFailure ? error.cause : error?.message;
  throw new Error("An answer does not match its schema.", { cause });
}

/** Answers with the problem that an error stands for. */
export const sendProblem: Lifecycle.Method = (request, h) => {
  const { raw, response } = request;
  if (!("isBoom" in response)) return h.continue;
  const { status, headers, body } = toAnswer(response, raw.req);
  if (status === 500) reportError(request, response);
  const answer = h.response(body).code(status).header("Cache-Control", "no-store");
  // Extensions may have added some.
  for (const [name, value] of Object.entries({ ...response.output.headers, ...headers }))
    if (value !== undefined && (name in headers || !describesBody(name))) answer.header(name, value as string);
  return answer;
};

/** Error reporters listen to this event. hapi emits it for errors that it sends itself. */
function reportError(request: Request, error: Error): void {
  const tags = ["internal", "error"];
  const event = { request: request.info.id, timestamp: Date.now(), tags, error, channel: "error" };
  request.server.events.emit({ name: "request", channel: "error", tags }, [request, event]);
}

/** An answer that hapi could not write, like one with a bigint: it fails after `sendProblem`, which replaces other errors. */
function logUnsent({ raw, response }: Request, { error }: RequestEvent): void {
  if ("isBoom" in response) return;
  const { requestId } = raw.req as HttpRequest;
  log("error", "an answer could not be written", { requestId, error });
}

/** hapi's server. It listens to the requests of the parts' server. */
export async function toListener(server: Server): Promise<AppListener> {
  await server.start();
  return {
    routes: findRoutes(server),
    choice: "specific",
    close: () => server.stop(),
  };
}

function findRoutes(server: Server): Route[] {
  const routes = server.table().filter(({ settings }) => !settings.isInternal);
  return routes.map((route) => {
    return {
      method: route.method.toUpperCase(),
      pattern: route.path,
      bodyLimit: route.settings.payload?.maxBytes,
      handlerTimeout: Number(route.settings.timeout?.server) || undefined,
      isPublic: isPublic(route),
      isConditional: isConditional(route),
      definition: route.settings,
    };
  });
}

/** For `valid`, `request.payload` is the JSON that was sent; hapi does not read a payload that is already set. */
const jsonPayload: Lifecycle.Method = async (request, h) => {
  if (!takesJson(request)) return h.continue;
  if (verifiesPayload(request)) await readPayload(request);
  else postpone(request);
  return h.continue;
};

/** Like hapi, reads it after the owner's extensions at `onPreAuth`, and after a strategy has accepted the request. */
const latePayload: Lifecycle.Method = async (request, h) => {
  if (postponed.delete(request)) await readPayload(request);
  return h.continue;
};

async function readPayload(request: Request): Promise<void> {
  const { req } = request.raw;
  const payload = await readJson(req);
  if (!decidesNames(findSchema(request)) && isSuspect(await readBody(req))) refusePrototypes(payload);
  Object.assign(request, { payload, mime: "application/json" });
  // For listeners to `request.events`. The types of hapi do not have it.
  const tap = (request as unknown as { _tap(): Transform | null })._tap();
  tap?.resume().end(await readBody(req));
}

/** The schema of a body that `valid` checks. */
const findSchema = ({ route }: Request) => Object(Object(route.settings.validate?.payload).declares).body;

/** Whether a body may have a key `__proto__`, perhaps escaped. */
const isSuspect = (body: Buffer) => body.includes("__proto__") || body.includes("\\u");

/** Refuses what hapi refuses: copied into another object, the key would be its prototype. */
function refusePrototypes(payload: unknown): void {
  const values = [payload];
  for (const value of values) {
    if (typeof value !== "object" || value === null) continue;
    if (Object.hasOwn(value, "__proto__"))
      throw new Problem("bad_request", "The body has a key that is not allowed: __proto__.");
    for (const member of Object.values(value)) values.push(member);
  }
}

/** Without a route for the request, hapi would read the body before it answers 404. */
const skipPayload: Lifecycle.Method = ({ server, method, path, info, raw }, h) => {
  const { match, method: sent = "" } = raw.req as HttpRequest;
  const isUnknown = match && hasBody(raw.req) && selectRoutes(match, sent).length === 0;
  if (isUnknown && !server.match(method, path, info.hostname)) throw notFound();
  return h.continue;
};

/** Extensions get errors as Boom errors, and hapi takes one without a status in Boom's way for a 500. */
const setStatus: Lifecycle.Method = ({ response }, h) => {
  if (!("isBoom" in response && response instanceof Problem)) return h.continue;
  response.output.statusCode = response.status;
  response.reformat();
  return h.continue;
};

/** For `validate.payload`, `validate.query` and `response.status`: a schema of any library that supports Standard Schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>) {
  return markHandler({ body: schema }, async (value: unknown, options?: { context?: object }) => {
    try {
      return await validate(schema, value, findPart(options?.context));
    } catch (error) {
      throw error instanceof Problem ? error : new SchemaFailure("A schema has failed.", { cause: error });
    }
  });
}

/** The part of a request that hapi validates: it passes all others as `context`. */
function findPart(context: object | undefined): string {
  return (context && ["headers", "params", "query", "state"].find((part) => !(part in context))) ?? "body";
}

/** Requests whose bodies are not read yet. */
const postponed = new WeakSet<Request>();

/** hapi reads payloads right after strategies have run, where no extension can be. It leaves one that is set, and drains it if it is pending. */
function postpone(request: Request): void {
  postponed.add(request);
  Object.assign(request, { payload: null, _isPayloadPending: false });
}

/** Whether a strategy verifies the body itself. */
function verifiesPayload({ server, route }: Request): boolean {
  // The types of hapi do not have it.
  const { lookup } = server.auth as unknown as { lookup(route: RequestRoute): { payload?: unknown } | undefined };
  return Boolean(lookup.call(server.auth, route)?.payload);
}

/**
 * Bodies that `valid` checks. hapi would refuse them in its own way. All others are left to hapi, also those of a route
 * with its own `options.payload`: raw bytes, streams, forms, files.
 */
function takesJson({ method, raw, route }: Request): boolean {
  const { payload, validate } = route.settings;
  if (!("declares" in Object(validate?.payload)) || method === "get" || method === "head") return false;
  if (payload?.parse !== true || payload.output !== "data") return false;
  const { allow, multipart, override, failAction, protoAction } = payload;
  const isOwn = override || failAction !== "error" || protoAction !== "error";
  if (isOwn || (allow && !allow.includes("application/json"))) return false;
  const takesOthers = allow || multipart;
  return !takesOthers || /^application\/json\b/i.test(raw.req.headers["content-type"] ?? "");
}
