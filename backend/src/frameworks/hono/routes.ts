import { Hono } from "hono";
import { webhookRoutes } from "../../core/frameworks/hono/webhooks/routes.ts";
import type { Parts } from "../../parts.ts";
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
