import type { Plugin } from "@hapi/hapi";
import type { Parts } from "../../config.ts";
import { apiDefaults } from "../../core/frameworks/hapi/connect.ts";
import { webhookRoutes } from "../../core/frameworks/hapi/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export const routes: Plugin<Parts> = {
  name: "resources-and-features",
  async register(server, parts) {
    // For these routes and no others: hapi would let caches store answers, and refuse malformed cookies.
    server.rules(() => apiDefaults);
    await server.register({ plugin: itemRoutes, options: parts, routes: { prefix: "/items" } });
    await server.register({ plugin: webhookRoutes, options: parts, routes: { prefix: "/webhooks" } });
  },
};
