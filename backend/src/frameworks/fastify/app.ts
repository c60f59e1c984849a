import Fastify, { type RouteOptions } from "fastify";
import { answerTo } from "../../failure.ts";
import type { Route } from "../../http/routes.ts";
import type { CreateApp } from "../../parts.ts";
import { notFound } from "../../problem.ts";
import { jsonBody } from "./body.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { buildValidator, standardSchema } from "./schema.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export const createApp: CreateApp = async (parts) => {
  const app = Fastify({
    bodyLimit: parts.config.bodyLimitBytes,
    requestIdHeader: "x-request-id",
    schemaController: { compilersFactory: { buildValidator } },
  });
  const routes: Route[] = [];

  app.setErrorHandler(async (error, request, reply) => {
    const { status, headers, body } = answerTo(error, request.raw);
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(async () => {
    throw notFound();
  });
  app.addHook("onRoute", (route) => {
    routes.push(...routesOf(route));
  });
  app.addHook("onRoute", standardSchema);
  jsonBody(app);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.register(itemRoutes, { prefix: "/items", parts });
  app.register(webhookRoutes, { prefix: "/webhooks", parts });

  await app.ready();
  return { listener: app.routing, routes, close: () => app.close() };
};

type Added = RouteOptions & { routePath: string; prefix: string };

/** For a GET at "/items" Fastify also adds a HEAD at "/items/". */
function routesOf({ method, url, routePath, prefix, ...options }: Added): Route[] {
  const isAdded = (one: string) => one === "HEAD" && routePath === "/" && prefix !== "";
  const shared = {
    pattern: url.replace(/^\*/, "/*"),
    bodyLimit: options.bodyLimit,
    isPublic: isPublic(options.config),
  };
  const methods = [method].flat().filter((one) => !isAdded(one));
  return methods.map((one) => ({ method: one, ...shared }));
}
