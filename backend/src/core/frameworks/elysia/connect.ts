import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type Context, Elysia } from "elysia";
import type { ServerRequest } from "srvx";
import { toNodeRequest } from "../../http/body.ts";
import type { HttpRequest } from "../../http/request.ts";
import { CreationHeaders, readCreation, validatePage } from "../../resource.ts";

/** Sets a larger or smaller body limit for routes: `app.use(bodyLimit).post("/import", …, { bodyLimit: 5_000_000 })`. */
export const bodyLimit = new Elysia({ name: "bodyLimit" }).macro({ bodyLimit: (_bytes: number) => ({}) });

/** Lets handlers take more or less time: `app.use(handlerTimeout).get("/report", …, { handlerTimeout: 60_000 })`. */
export const handlerTimeout = new Elysia({ name: "handlerTimeout" }).macro({
  handlerTimeout: (_milliseconds: number) => ({}),
});

/** Node's request, from the request in a route. */
export function nodeRequest(request: Request): HttpRequest {
  return ((request as ServerRequest).runtime?.node?.req ?? toNodeRequest(request)) as HttpRequest;
}

/** A typed client has the type of its output. */
const PageQuery: StandardSchemaV1<unknown, { limit?: number; cursor?: string | undefined }> = {
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => validatePage(textsIn(query as Record<string, unknown>)),
  },
};

/** Gives handlers the page that a list is asked for: `app.use(page).get("/", …, { page: true })`. */
export const page = new Elysia({ name: "page" }).macro("page", {
  query: PageQuery,
  resolve: ({ query: { limit = 20, cursor } }) => ({ page: { limit, cursor } }),
});

/**
 * Elysia reads a list in `1,2`, `[5]` and a repeated parameter, and an object in `{}`. Neither is a limit or a cursor,
 * also if it would be one as text.
 */
function textsIn(query: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(query);
  if (names.every((name) => typeof query[name] === "string")) return query;
  return Object.fromEntries(names.map((name) => [name, typeof query[name] === "string" ? query[name] : ""]));
}

/** Gives handlers the options of a creation, from its headers: `app.use(creation).post("/", …, { creation: true })`. */
export const creation = new Elysia({ name: "creation" }).macro("creation", {
  headers: CreationHeaders,
  resolve: ({ request }) => ({ creation: readCreation(nodeRequest(request)) }),
});

/** Answers with JSON text, which typed clients read as a value of the type. */
export function sendJson<T>(set: Context["set"], text: string): T {
  set.headers["content-type"] = "application/json";
  return text as T;
}
