import Router from "@koa/router";
import Koa from "koa";
import type { Parts } from "../../config.ts";
import { jsonBody, logError, sendProblems } from "../../core/frameworks/koa/connect.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  const app = new Koa();
  const router = new Router();

  app.use(sendProblems);
  app.on("error", logError);

  app.use(jsonBody);
  // Put parsers of other content types below this line.

  router.get("/health", async (ctx) => {
    await parts.health();
    ctx.body = { status: "ok" };
  });

  // Without `allowedMethods()`: the server answers 405 and OPTIONS.
  app.use(router.routes());
  app.use(routes(parts).routes());

  return app;
}
