import Router from "@koa/router";
import type { Parts } from "../../config.ts";
import { webhookRoutes } from "../../core/frameworks/koa/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export function routes(parts: Parts): Router {
  const router = new Router();
  router.use(itemRoutes(parts).routes());
  router.use(webhookRoutes(parts).routes());
  return router;
}
