import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "../../http/request.ts";
import { type Route, taking } from "../../http/routes.ts";
import { countOf } from "../../http/target.ts";
import { type Problem, problemOf } from "../../problem.ts";

declare module "../../http/routes.ts" {
  interface Route {
    /** Whether it needs no token. */
    isPublic?: boolean;
  }
}

/** The header that a token comes in. */
export const tokenHeader = "Authorization";

/** A token of `API_TOKENS`, spelled as in RFC 6750. What is kept of it is its digest. */
export const token = {
  what: "tokens of at least 32 characters (letters, digits, -._~+/, and = at the end)",
  read: (one: string) => (/^(?=.{32})[\w.~+/-]+=*$/.test(one) ? digest(one) : undefined),
};

/** Refuses a request without one of the tokens. The idempotency keys of each token are its own. */
export function authenticate(req: HttpRequest, tokens: Buffer[]): void {
  if (!needsToken(req)) return;
  const [, sent] = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? "") ?? [];
  if (sent === undefined || countOf(req, "authorization") > 1)
    throw unauthorized(`Send one ${tokenHeader} header: Bearer and a token of this API.`);
  if (!isOneOf(tokens, digest(sent))) throw unauthorized("This token is not valid here.", ', error="invalid_token"');
  scopeKey(req, sent);
}

/**
 * Everything needs one except health checks, OPTIONS, which browsers send without one, and requests that only public
 * routes accept. An unknown route stays closed.
 */
function needsToken({ match, method = "" }: HttpRequest): boolean {
  if (method === "OPTIONS") return false;
  const at = match?.routes ?? [];
  const reached = match ? taking(match, method) : [];
  return !(reached.length > 0 ? reached : at).every(isOpen) || at.length === 0;
}

function isOpen({ pattern, isPublic }: Route): boolean {
  return isPublic === true || pattern === "/health";
}

/** Compares with all of them, each to its end, so that the time it takes reveals nothing. */
function isOneOf(tokens: Buffer[], sent: Buffer): boolean {
  return tokens.filter((known) => timingSafeEqual(known, sent)).length > 0;
}

function digest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Two callers may choose the same key. What is stored instead does not reveal the token; a malformed key stays malformed. */
function scopeKey({ headers }: IncomingMessage, token: string): void {
  const key = headers["idempotency-key"]?.toString() ?? "";
  if (/^[!-~]{1,255}$/.test(key)) headers["idempotency-key"] = createHmac("sha256", token).update(key).digest("hex");
}

/** RFC 6750, section 3: a challenge has at least one parameter. */
export function unauthorized(detail: string, error = ""): Problem {
  return problemOf(401, detail, { headers: { "WWW-Authenticate": `Bearer realm="api"${error}` } });
}
