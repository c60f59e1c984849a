import type { OutgoingHttpHeaders } from "node:http";
import type { HttpRequest } from "../../http/request.ts";
import { tokenHeader } from "../auth/token.ts";
import { conditionHeaders, itemHeaders } from "../item-routes/conditions.ts";

const requestHeaders = ["Content-Type", "Idempotency-Key", "X-Request-Id"];
requestHeaders.push(tokenHeader);
requestHeaders.push(...conditionHeaders);
const responseHeaders = ["Retry-After", "X-Request-Id"];
responseHeaders.push(...itemHeaders);
/** As long as Chromium keeps the answer to a preflight at most. */
const preflightSeconds = 7200;

/** An origin of `CORS_ORIGINS`. */
export const origin = {
  what: "origins exactly as browsers send them, like https://app.example.com",
  read: (one: string) => (/^https?:[^*]+$/.test(one) && URL.parse(one)?.origin === one ? one : undefined),
};

/** Lets pages of these origins, and of no others, read the answer. Cookies are not used, so none are allowed. */
export function allowOrigin(req: HttpRequest, own: OutgoingHttpHeaders, origins: string[]): void {
  own["vary"] = "Origin";
  const { origin = "", "access-control-request-method": wanted } = req.headers;
  if (!origins.includes(origin)) return;
  own["access-control-allow-origin"] = origin;
  own["access-control-expose-headers"] = responseHeaders.join(", ");
  if (req.method === "OPTIONS" && wanted !== undefined) answerPreflight(req, own);
}

/** The route itself answers OPTIONS; this is what a browser asks of it before it sends a request. */
function answerPreflight({ match, headers }: HttpRequest, own: OutgoingHttpHeaders): void {
  if (!match || match.routes.length === 0) return;
  own["access-control-allow-methods"] = match.allow || `${headers["access-control-request-method"]}`;
  own["access-control-allow-headers"] = requestHeaders.join(", ");
  own["access-control-max-age"] = String(preflightSeconds);
}

/** Adds what the answer depends on besides the origin. */
export function keepVary(headers: OutgoingHttpHeaders, { vary }: OutgoingHttpHeaders): void {
  if (vary && headers["vary"] !== vary) headers["vary"] = [vary, headers["vary"]].flat().join(", ");
}
