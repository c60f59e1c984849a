import { type H3Event, HTTPError, isMethod, type Middleware } from "h3";
import { readBody, readJson } from "../../http/body.ts";
import type { HttpRequest } from "../../http/request.ts";

declare module "h3" {
  interface H3RouteMeta {
    /** How many bytes the body may have: `app.post("/import", handler, { meta: { bodyLimit: 5_000_000 } })`. */
    bodyLimit?: number;
  }
}

/** h3's functions that read a body return JSON, also with a validator. Other bodies are refused when they are read. */
export const jsonBody: Middleware = (event) => {
  if (!event.context.matchedRoute || isMethod(event, ["GET", "HEAD"])) return;
  const req = nodeRequest(event);
  // h3 passes on only its own errors.
  const json = () =>
    readJson(req).catch((error) => {
      throw new HTTPError(error);
    });
  const text = async () => {
    await json();
    return (await readBody(req)).toString();
  };
  Object.assign(event.req, { json, text });
};

export function nodeRequest(event: H3Event): HttpRequest {
  return event.runtime?.node?.req as HttpRequest;
}
