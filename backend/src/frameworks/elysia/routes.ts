import { Elysia } from "elysia";
import type { Parts } from "../../config.ts";
import { webhookRoutes } from "../../core/frameworks/elysia/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export function routes(parts: Parts) {
  return (
    new Elysia()
      // One line for each folder.
      .use(itemRoutes(parts))
      .use(webhookRoutes(parts))
  );
}
