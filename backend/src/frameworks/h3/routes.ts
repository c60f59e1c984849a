import { H3 } from "h3";
import type { Parts } from "../../config.ts";
import { webhookRoutes } from "../../core/frameworks/h3/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export function routes(parts: Parts) {
  const app = new H3();
  app.mount("/items", itemRoutes(parts));
  app.mount("/webhooks", webhookRoutes(parts));
  return app;
}
