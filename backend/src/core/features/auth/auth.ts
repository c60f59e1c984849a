import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { countHeader, type HttpRequest, replaceHeader } from "../../http/request.ts";
import { answerOptions } from "../../http/response.ts";
import { type Route, selectRoutes } from "../../http/routes.ts";
import type { AppListener, AppServer, Guard } from "../../http/server.ts";
import { log } from "../../log.ts";
import { createProblem, methodNotAllowed, type Problem } from "../../problem.ts";
import { PublicRoutes } from "./public-routes.ts";
import { type Caller, digest, tokenHeader } from "./token.ts";

declare module "../../http/request.ts" {
  interface HttpRequest {
    /** Whose token the request came with, if it came with one. */
    caller?: Caller;
    /** Refuses a request that needed no token at its path, if it has none. */
    requireToken?: (() => void) | undefined;
  }
}

declare module "../../http/server.ts" {
  interface AppServer {
    /** The paths at which an upgrade needs no token. A public route does not open its path to upgrades. */
    publicUpgrades?: string[];
    /** Refuses a request without a token that did not come through the server, like one in a WebSocket's message. */
    requireToken?(req: object): void;
  }
}

/** Refuses a request without one of the tokens, unless a public route takes it. */
export function createGuard(app: AppListener, callers: Caller[], server: AppServer): Guard {
  const publicRoutes = new PublicRoutes(app);
  warnOfClosed(publicRoutes);
  server.requireToken = (req) => identify(req as HttpRequest, callers);
  return (req, _headers, path) => {
    const { match, method = "", upgrade } = req;
    // Who takes an upgrade is unknown: a WebSocket server may take it at any path.
    const isPublic = upgrade ? server.publicUpgrades?.includes(path) : match && publicRoutes.take(match, method);
    if (isPublic && !upgrade) req.requireToken = () => identify(req, callers);
    if (isPublic && req.headers.authorization === undefined) return undefined;
    try {
      identify(req, callers);
      return undefined;
    } catch (problem) {
      // A public route may have tokens of its own.
      if (isPublic) return undefined;
      // Health checks need no token, and browsers send OPTIONS without one. Neither reaches a handler.
      if (match?.path === "/health" && selectRoutes(match, method).length === 0) throw methodNotAllowed(match.allow);
      if (method !== "OPTIONS") throw problem;
      return answerOptions(req);
    }
  };
}

/** The name of the token that a request came with, if it has one. */
export function findCaller(req: object): string | undefined {
  return (req as HttpRequest).caller?.name;
}

/** Reports public routes that need a token anyway. */
function warnOfClosed(publicRoutes: PublicRoutes): void {
  const printRoute = ({ method, pattern }: Route) => `${method} ${pattern}`;
  const closed = publicRoutes
    .findClosed()
    .map(({ route, rivals }) => `${printRoute(route)} (${rivals.map(printRoute).join(", ")})`);
  if (closed.length > 0)
    log("warn", "public routes that need a token, because the router might choose the route in brackets", {
      routes: closed,
    });
}

/** Finds out whose token a request has. The idempotency keys of each token are its own. */
function identify(req: HttpRequest, callers: Caller[]): void {
  const [, sent] = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? "") ?? [];
  if (sent === undefined || countHeader(req, "authorization") > 1)
    throw unauthorized(`Send one ${tokenHeader} header: Bearer and a token of this API.`);
  const sentDigest = digest(sent);
  // All of them are compared, each to its end, so that the time it takes reveals nothing.
  const [caller] = callers.filter((one) => timingSafeEqual(one.digest, sentDigest));
  if (!caller) throw unauthorized("This token is not valid here.", ', error="invalid_token"');
  req.caller = caller;
  req.requireToken = undefined;
  if (caller.name) req.logMembers = `,"caller":"${caller.name}"`;
  scopeKey(req, sent);
}

/** Two callers may choose the same key. What is stored instead does not reveal the token; a malformed key stays malformed. */
function scopeKey(req: IncomingMessage, token: string): void {
  const key = req.headers["idempotency-key"]?.toString() ?? "";
  if (/^[!-~]{1,255}$/.test(key))
    replaceHeader(req, "idempotency-key", createHmac("sha256", token).update(key).digest("hex"));
}

/** RFC 6750, section 3: a challenge has at least one parameter. */
export function unauthorized(detail: string, error = ""): Problem {
  return createProblem(401, detail, { headers: { "WWW-Authenticate": `Bearer realm="api"${error}` } });
}
