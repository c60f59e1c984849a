import type { FastifyPluginAsync } from "fastify";
import { onlyJson } from "../../core/frameworks/fastify/body.ts";
import { keepCompilers } from "../../core/frameworks/fastify/schema.ts";
import { webhookRoutes } from "../../core/frameworks/fastify/webhooks/routes.ts";
import type { Parts } from "../../parts.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export const routes: FastifyPluginAsync<{ parts: Parts }> = async (app, { parts }) => {
  keepCompilers(app);
  onlyJson(app);
  app.register(itemRoutes, { prefix: "/items", parts });
  app.register(webhookRoutes, { prefix: "/webhooks", parts });
};
