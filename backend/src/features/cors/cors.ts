import type { ServerResponse } from "node:http";
import type { HttpRequest } from "../../http/request.ts";
import { tokenHeader } from "../auth/auth.ts";
import { conditionHeaders, itemHeaders } from "../item-routes/conditions.ts";

/** What is needed of a response. */
type NodeResponse = Pick<ServerResponse, "setHeader">;

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

/** Lets pages of these origins, and of no others, read the answer. No cookie is ever wanted, so none is allowed. */
export function allowOrigin(req: HttpRequest, res: NodeResponse, origins: string[]): void {
  res.setHeader("Vary", "Origin");
  const { origin = "", "access-control-request-method": wanted } = req.headers;
  if (!origins.includes(origin)) return;
  res.setHeader("Access-Control-Allow-Origin", origin);
  res.setHeader("Access-Control-Expose-Headers", responseHeaders.join(", "));
  if (req.method === "OPTIONS" && wanted !== undefined) answerPreflight(req, res);
}

/** The route itself answers OPTIONS; this is what a browser asks of it before it sends a request. */
function answerPreflight({ match, headers }: HttpRequest, res: NodeResponse): void {
  if (!match || match.routes.length === 0) return;
  res.setHeader("Access-Control-Allow-Methods", match.allow || `${headers["access-control-request-method"]}`);
  res.setHeader("Access-Control-Allow-Headers", requestHeaders.join(", "));
  res.setHeader("Access-Control-Max-Age", preflightSeconds);
}
