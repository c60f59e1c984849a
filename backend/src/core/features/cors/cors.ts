import { answerOptions } from "../../http/response.ts";
import type { Guard } from "../../http/server.ts";
import type { Feature } from "../../start.ts";

/** The headers that a page may send and read, beside those of the features. */
const requestHeaders = ["Content-Type", "Idempotency-Key", "X-Request-Id"];
const responseHeaders = ["Retry-After", "X-Request-Id"];
/** As long as Chromium keeps the answer to a preflight at most. */
const preflightSeconds = 7200;

/** An origin of `CORS_ORIGINS`. */
export const origin = {
  what: "origins exactly as browsers send them, like https://app.example.com",
  read: (one: string) => (/^https?:[^*]+$/.test(one) && URL.parse(one)?.origin === one ? one : undefined),
};

/** Lets pages of these origins, and of no others, read the answer. Cookies are not used, so none are allowed. */
export function allowOrigins(origins: string[], features: Feature[]): Guard {
  const allowed = [...requestHeaders, ...features.flatMap((feature) => feature.requestHeaders ?? [])].join(", ");
  const exposed = [...responseHeaders, ...features.flatMap((feature) => feature.responseHeaders ?? [])].join(", ");
  return (req, headers) => {
    headers["vary"] = "Origin";
    const { origin = "", "access-control-request-method": wanted } = req.headers;
    if (!origins.includes(origin)) return undefined;
    headers["access-control-allow-origin"] = origin;
    headers["access-control-expose-headers"] = exposed;
    if (req.method !== "OPTIONS" || wanted === undefined || !req.match?.routes.length) return undefined;
    headers["access-control-allow-methods"] = req.match.allow || wanted;
    headers["access-control-allow-headers"] = allowed;
    headers["access-control-max-age"] = String(preflightSeconds);
    // A handler for any method may fail, and then a browser sends nothing.
    return answerOptions(req);
  };
}
