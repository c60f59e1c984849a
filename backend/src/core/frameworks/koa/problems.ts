import type { Context, Middleware } from "koa";
import { logFailure, toAnswer } from "../../failure.ts";

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
