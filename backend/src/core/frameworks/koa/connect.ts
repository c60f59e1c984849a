import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Context, DefaultState, Middleware } from "koa";
import { hasJson, readInto, takeJson } from "../../http/body.ts";
import { logFailure, toAnswer } from "../../http/response.ts";
import { markHandler } from "../../http/routes.ts";
import { validate } from "../../problem.ts";

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

/** Koa emits some errors twice. */
const logged = new WeakSet<object>();

/** Answers with the problem that an error stands for: all errors of the middleware below it. */
export const sendProblems: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const { status, headers, body } = toAnswer(error, ctx.req);
    // As Koa does.
    for (const name of ctx.res.getHeaderNames()) ctx.remove(name);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
    if (error instanceof Error) logged.add(error);
    ctx.app.emit("error", error, ctx);
  }
};

/** Logs what fails elsewhere, like a stream that is being sent, and ends that answer: Koa would leave it open. */
export function logError(error: Error, ctx?: Context): void {
  if (ctx?.headerSent) ctx.res.destroy();
  if (logged.has(error)) return;
  logged.add(error);
  logFailure(error, ctx?.req);
}
