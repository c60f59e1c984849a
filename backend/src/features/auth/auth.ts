import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { routes } from "../../parts.ts";
import { Problem } from "../../problem.ts";

/** The header that a token comes in. */
export const tokenHeader = "Authorization";

/** A token of `API_TOKENS`, spelled as in RFC 6750. What is kept of it is its digest. */
export const token = {
  what: "tokens of at least 32 characters (letters, digits, -._~+/, and = at the end)",
  read: (one: string) => (/^(?=.{32})[\w.~+/-]+=*$/.test(one) ? digest(one) : undefined),
};

/** Refuses a request without one of the tokens. The idempotency keys of each token are its own. */
export function authenticate(req: IncomingMessage, tokens: Buffer[]): void {
  if (!needsToken(req)) return;
  const { authorization = [] } = req.headersDistinct;
  const [, sent] = (authorization.length === 1 && /^Bearer +(\S+)$/i.exec(authorization[0] ?? "")) || [];
  if (sent === undefined) throw unauthorized(`Send one ${tokenHeader} header: Bearer and a token of this API.`);
  if (!isOneOf(tokens, digest(sent))) throw unauthorized("This token is not valid here.", ', error="invalid_token"');
  scopeKey(req, sent);
}

/** A health check brings no token, nor do browsers with OPTIONS; a path that is no route has nothing to hide. */
function needsToken({ method, url = "" }: IncomingMessage): boolean {
  const [path = ""] = url.split("?", 1);
  return routes.has(path) && path !== "/health" && method !== "OPTIONS";
}

/** Looks at all of them, and at all of each, so that the time it takes tells nothing. */
function isOneOf(tokens: Buffer[], sent: Buffer): boolean {
  return tokens.filter((known) => timingSafeEqual(known, sent)).length > 0;
}

function digest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Two callers may choose the same key. What is stored in its place does not tell the token; a malformed key stays so. */
function scopeKey({ headers }: IncomingMessage, token: string): void {
  const key = headers["idempotency-key"]?.toString() ?? "";
  if (/^[!-~]{1,255}$/.test(key)) headers["idempotency-key"] = createHmac("sha256", token).update(key).digest("hex");
}

/** RFC 6750, section 3: a challenge has at least one parameter. */
function unauthorized(detail: string, error = ""): Problem {
  return new Problem("unauthorized", detail, { headers: { "WWW-Authenticate": `Bearer realm="api"${error}` } });
}
