import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { readJson, toNodeRequest } from "../../http/body.ts";
import { markHandler } from "../../http/routes.ts";
import { validate } from "../../problem.ts";
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

/** Where a schema finds its value, and what it declares in `openapi.json`. */
const targets = {
  json: { part: "body", read: (c: Context) => c.req.json() },
  query: { part: "query", read: readQuery },
  param: { part: "params", read: (c: Context) => c.req.param() },
  header: { part: "headers", read: (c: Context) => c.req.header() },
};

type Target = keyof typeof targets;

/** A typed client may leave out a part that may be empty. */
type Validated<T extends Target, In, Out> = {
  in: Record<never, never> extends In ? { [Name in T]?: In } : { [Name in T]: In };
  out: { [Name in T]: Out };
};

/** Validates a part of a request with a schema: after `valid("json", NewItem)`, `c.req.valid("json")` returns it. */
export function valid<T extends Target, In extends object, Out extends object>(
  target: T,
  schema: StandardSchemaV1<In, Out>,
) {
  const { part, read } = targets[target];
  const middleware = createMiddleware<object, string, Validated<T, In, Out>>(async (c, next) => {
    c.req.addValidatedData(target, await validate(schema, await read(c), part));
    await next();
  });
  return markHandler({ [part]: schema }, middleware);
}

/** As in Hono's validators, a parameter that is repeated is a list. */
function readQuery({ req: { url } }: Context): object {
  if (!url.includes("?")) return {};
  // Without the ampersand the parser would drop a second question mark.
  const query = new URLSearchParams(url.replace(/^[^?]*\?/, "&"));
  const names = new Set(query.keys());
  const entries = [...names].map((name) => {
    const values = query.getAll(name);
    return [name, values.length > 1 ? values : values[0]];
  });
  return Object.fromEntries(entries);
}
