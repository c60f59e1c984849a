import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { readJson, toNodeRequest } from "../../http/body.ts";
import { markHandler } from "../../http/routes.ts";
import { validate } from "../../problem.ts";
import { type Page, readPage } from "../../resource.ts";
import { setCaller } from "./public.ts";

/** `c.req.json()` is the JSON that was sent. Other bodies are refused when a handler reads it. */
export const jsonBody = createMiddleware((c, next) => {
  c.req.json = <T>() => readJson(nodeRequest(c)) as Promise<T>;
  setCaller(c, nodeRequest(c));
  return next();
});

/** Node's request, from the context of a route. */
export function nodeRequest({ env, req }: Context): IncomingMessage {
  return (env as HttpBindings | undefined)?.incoming ?? toNodeRequest(req.raw);
}

/** Validates the body with a schema; then `c.req.valid("json")` returns it. */
export function valid<In extends object, Out extends object>(schema: StandardSchemaV1<In, Out>) {
  const middleware = createMiddleware<object, string, { in: { json: In }; out: { json: Out } }>(async (c, next) => {
    c.req.addValidatedData("json", await validate(schema, await c.req.json()));
    await next();
  });
  return markHandler({ body: schema }, middleware);
}

type PageQuery = { in: { query?: { limit?: string; cursor?: string } }; out: { query: Page } };

/** Validates the query of a list; then `c.req.valid("query")` returns the page that it asks for. */
export const pageQuery = createMiddleware<object, string, PageQuery>((c, next) => {
  c.req.addValidatedData("query", readPage(c.req));
  return next();
});
