import type { Plugin } from "@hapi/hapi";
import type { Parts } from "../../config.ts";
import { exact } from "../../core/frameworks/hapi/connect.ts";
import { webhookRoutes } from "../../core/frameworks/hapi/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export const routes: Plugin<Parts> = {
  name: "resources-and-features",
  async register(server, parts) {
    // Default options of these routes, and of no others.
    server.rules(() => exact);
    await server.register({ plugin: itemRoutes, options: parts, routes: { prefix: "/items" } });
    await server.register({ plugin: webhookRoutes, options: parts, routes: { prefix: "/webhooks" } });
  },
};
