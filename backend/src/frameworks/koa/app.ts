import { METHODS } from "node:http";
import Router from "@koa/router";
import Koa from "koa";
import { answerTo } from "../../failure.ts";
import type { Route } from "../../http/routes.ts";
import type { CreateApp } from "../../parts.ts";
import { disableBodyParser, jsonBody } from "./body.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export const createApp: CreateApp = (parts) => {
  const app = new Koa();
  const router = new Router({ sensitive: true });

  // Koa calls this for an error in any middleware.
  app.context.onerror = function (this: Koa.Context, error) {
    if (!error || isClientGone(error, this)) return;
    this.app.emit("error", error, this);
    const { status, headers, body } = answerTo(error, this.req);
    if (this.headerSent || !this.writable) return;
    this.status = status;
    this.set(headers);
    this.length = Buffer.byteLength(body);
    this.res.end(body);
  };
  app.on("error", () => {}); // Without a listener Koa prints errors; they are logged already.

  // Above the parser, because these routes need the raw bytes, which are signed.
  app.use(webhookRoutes(parts).routes());
  // Put parsers of other content types above this line.
  app.use(jsonBody);
  Object.defineProperty(app.context, "disableBodyParser", disableBodyParser);

  router.get("/health", async (ctx) => {
    await parts.health();
    ctx.body = { status: "ok" };
  });

  app.use(router.routes());
  app.use(itemRoutes(parts).routes());

  return {
    listener: app.callback(),
    routes: routesOf(app),
    close: () => Promise.all(app.listeners("close").map((close) => close())),
  };
};

/** Whether a stream could not be sent completely because the client has disconnected. */
function isClientGone(error: NodeJS.ErrnoException, { headerSent }: Koa.Context): boolean {
  return headerSent && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** The routes of all routers that the app uses. */
function routesOf({ middleware }: Koa): Route[] {
  const routers = middleware.flatMap((one) => ("router" in one ? [one.router as Router] : []));
  const layers = routers.flatMap(({ stack }) => stack);
  return layers.flatMap(({ methods, path, stack }) => {
    const route = {
      pattern: typeof path === "string" ? path : "/*",
      bodyLimit: stack.flatMap((one) => ("bodyLimit" in one ? [Number(one.bodyLimit)] : []))[0],
      isPublic: stack.includes(isPublic),
    };
    return (methods.length > METHODS.length ? ["*"] : methods).map((method) => ({ method, ...route }));
  });
}
