import type { RequestListener } from "node:http";
import { Elysia, type InternalRoute } from "elysia";
import { toNodeHandler } from "srvx/node";
import type { Route } from "../../http/routes.ts";
import type { CreateApp } from "../../parts.ts";
import { node } from "./adapter.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { withLazyBody } from "./request.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export const createApp: CreateApp = (parts) => {
  const app = new Elysia({ adapter: node, handler: { standardHostname: false } });

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.use(itemRoutes(parts));
  app.use(webhookRoutes(parts));

  const listener = toNodeHandler((request) => app.fetch(withLazyBody(request))) as RequestListener;
  return { listener, routes: app.routes.map(routeOf), close: () => app.stop() };
};

/** Elysia also serves a route at "/items/" at "/items". */
function routeOf({ method, path, hooks }: InternalRoute): Route {
  return {
    method: method === "ALL" ? "*" : method,
    pattern: path.replace(/\/$/, "") || "/",
    bodyLimit: hooks.bodyLimit,
    isPublic: isPublic(hooks),
  };
}
