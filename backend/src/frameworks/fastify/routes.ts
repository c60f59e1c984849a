import type { FastifyPluginAsync } from "fastify";
import type { Parts } from "../../parts.ts";
import { onlyJson } from "./body.ts";
import { itemRoutes } from "./items/routes.ts";
import { keepCompilers } from "./schema.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export const routes: FastifyPluginAsync<{ parts: Parts }> = async (app, { parts }) => {
  keepCompilers(app);
  onlyJson(app);
  app.register(itemRoutes, { prefix: "/items", parts });
  app.register(webhookRoutes, { prefix: "/webhooks", parts });
};
