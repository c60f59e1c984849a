import type { HttpBindings } from "@hono/node-server";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { createMiddleware } from "hono/factory";
import { readJson } from "../../http/body.ts";
import { validate } from "../../validation.ts";

/** `c.req.json()` is the JSON that was sent. Other bodies are refused when a handler reads it. */
export const jsonBody = createMiddleware<{ Bindings: HttpBindings }>((c, next) => {
  c.req.json = <T>() => readJson(c.env.incoming) as Promise<T>;
  return next();
});

/** Validates the body with a schema; then `c.req.valid("json")` returns it. */
export function valid<T extends object>(schema: StandardSchemaV1<unknown, T>) {
  return createMiddleware<object, string, { in: { json: T }; out: { json: T } }>(async (c, next) => {
    c.req.addValidatedData("json", await validate(schema, await c.req.json()));
    await next();
  });
}
