import { Hono } from "hono";
import type { Parts } from "../../config.ts";
import { webhookRoutes } from "../../core/frameworks/hono/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export function routes(parts: Parts) {
  return (
    new Hono()
      // One line for each folder.
      .route("/items", itemRoutes(parts))
      .route("/webhooks", webhookRoutes(parts))
  );
}
