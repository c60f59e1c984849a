import type { Plugin, RouteOptions } from "@hapi/hapi";
import { webhookRoutes } from "../../core/frameworks/hapi/webhooks/routes.ts";
import type { Parts } from "../../parts.ts";
import { itemRoutes } from "./items/routes.ts";

/** For answers that are always whole and never stored. hapi would serve ranges of them, and tell caches to keep them. */
export const exact: RouteOptions = { cache: false, response: { ranges: false } };

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export const routes: Plugin<Parts> = {
  name: "resources-and-features",
  async register(server, parts) {
    server.rules(() => exact);
    await server.register({ plugin: itemRoutes, options: parts, routes: { prefix: "/items" } });
    await server.register(webhookRoutes(parts), { routes: { prefix: "/webhooks" } });
  },
};
