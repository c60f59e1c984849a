import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context, DefaultState, Middleware } from "koa";
import { readInto, readJson } from "../../http/body.ts";
import { validate } from "../../validation.ts";

declare module "koa" {
  interface Request {
    body?: unknown;
  }
}

/** `ctx.request.body` is the JSON that was sent to a route. Other bodies are refused when a handler reads it. */
export const jsonBody: Middleware = async (ctx, next) => {
  const isReadByOthers = ctx.req.readableEnded && !ctx.is("json");
  if (!isReadByOthers) await readInto(ctx.request, ctx.req);
  await next();
};

/** @koa/bodyparser checks this property of a context: it then reads forms, not JSON. */
export const disableBodyParser: PropertyDescriptor & ThisType<Context> = {
  get() {
    return Boolean(this.is("json"));
  },
  set(value) {
    Object.defineProperty(this, "disableBodyParser", { value, writable: true });
  },
};

/** Validates the JSON in `ctx.request.body` with a schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>): Middleware<DefaultState, { request: { body: T } }> {
  return async (ctx, next) => {
    const json = ctx.is("json") ? ctx.request.body : await readJson(ctx.req);
    ctx.request.body = await validate(schema, json);
    await next();
  };
}
