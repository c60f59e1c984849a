import { type H3Event, HTTPError, isMethod, type Middleware } from "h3";
import { expectJson, isJson, readBody, readJson, toNodeRequest } from "../../http/body.ts";
import type { HttpRequest } from "../../http/request.ts";
import { invalidInput } from "../../problem.ts";
import { setCaller } from "./public.ts";

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

/** JSON is checked when one of h3's functions reads it, also with a validator. h3 reads bodies of other types by itself. */
export const jsonBody: Middleware = (event) => {
  const req = nodeRequest(event);
  setCaller(event, req);
  if (!event.context.matchedRoute || isMethod(event, ["GET", "HEAD"]) || !isJson(req)) return;
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

/** For a route that takes JSON, `{ middleware: [jsonOnly] }`: refuses a body of another type, and a request without one. */
export const jsonOnly: Middleware = (event) => {
  if (event.context.matchedRoute && isMethod(event, ["POST", "PUT", "PATCH"])) expectJson(nodeRequest(event));
};

/**
 * For h3's validators: with `readValidatedBody(event, NewItem, invalid)`, an invalid body is a 422 instead of a 400. So it is
 * in the `validate` of `defineValidatedHandler`, where other parts stay a 400.
 */
export const invalid = {
  onError: ({ _source, issues }: Failure) => invalidInput(issues, _source),
};

/** For `getValidatedQuery(event, Filter, invalidQuery)`: the answer names the parameter that is wrong. */
export const invalidQuery = {
  onError: ({ issues }: Failure) => invalidInput(issues, "query"),
};

type Failure = { _source?: string; issues: Parameters<typeof invalidInput>[0] };

/** A validator of h3 puts another object in place of the request, which cannot be read in its place. */
const nodeRequests = new WeakMap<H3Event, object>();

export function nodeRequest(event: H3Event): HttpRequest {
  const { runtime } = event;
  return (runtime?.node?.req ??
    nodeRequests.getOrInsertComputed(event, ({ req }) => toNodeRequest(req))) as HttpRequest;
}
