import { Router } from "express";
import type { Parts } from "../../config.ts";
import { webhookRoutes } from "../../core/frameworks/express/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export function routes(parts: Parts): Router {
  const router = Router();
  router.use("/items", itemRoutes(parts));
  router.use("/webhooks", webhookRoutes(parts));
  return router;
}
