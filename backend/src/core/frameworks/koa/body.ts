import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { DefaultState, Middleware } from "koa";
import { markHandler } from "../../declares.ts";
import { hasJson, readInto, takeJson } from "../../http/body.ts";
import { validate } from "../../validation.ts";

declare module "koa" {
  interface Request {
    body?: unknown;
  }
}

/** `ctx.request.body` is the JSON that was sent to a route. Bodies of other types are left to others. */
export const jsonBody: Middleware = async (ctx, next) => {
  // Parsers below read a body only if this is undefined.
  if (hasJson(ctx.req)) ctx.request.body = null;
  await readInto(ctx.request, ctx.req);
  await next();
};

/** Validates the JSON in `ctx.request.body` with a schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>): Middleware<DefaultState, { request: { body: T } }> {
  return markHandler({ body: schema }, async (ctx, next) => {
    ctx.request.body = await validate(schema, takeJson(ctx.req, ctx.request.body));
    await next();
  });
}
