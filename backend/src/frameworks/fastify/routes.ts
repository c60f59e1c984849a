import type { FastifyPluginAsync } from "fastify";
import type { Parts } from "../../config.ts";
import { isolated } from "../../core/frameworks/fastify/connect.ts";
import { webhookRoutes } from "../../core/frameworks/fastify/webhooks/routes.ts";
import { itemRoutes } from "./items/routes.ts";

/** The routes of the resources and features. Mount your own in `app.ts`: this file changes when one is added. */
export const routes: FastifyPluginAsync<{ parts: Parts }> = async (app, { parts }) => {
  // Parsers and compilers that you set in `app.ts` do not change these routes.
  app.register(isolated);
  app.register(itemRoutes, { prefix: "/items", parts });
  app.register(webhookRoutes, { prefix: "/webhooks", parts });
};
