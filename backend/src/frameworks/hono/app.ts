import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { findTargetHandler, isMiddleware } from "hono/utils/handler";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { answerTo } from "../../failure.ts";
import type { Route } from "../../http/routes.ts";
import type { CreateApp } from "../../parts.ts";
import { jsonBody } from "./body.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export const createApp: CreateApp = (parts) => {
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.onError((error, c) => {
    const { status, headers, body } = answerTo(error, c.env.incoming);
    return c.body(body, status as ContentfulStatusCode, headers);
  });

  app.use(jsonBody);

  app.get("/health", async (c) => {
    await parts.health();
    return c.json({ status: "ok" });
  });

  app.route("/items", itemRoutes(parts));
  app.route("/webhooks", webhookRoutes(parts));

  return { listener: getRequestListener(app.fetch), routes: routesOf(app) };
};

/** Hono lists every handler and middleware of a route. */
function routesOf({ routes }: Pick<Hono, "routes">): Route[] {
  const all = routes.map(({ handler, ...route }) => ({ ...route, handler: findTargetHandler(handler) }));
  return all
    .filter(({ method, handler }) => method !== "ALL" || !isMiddleware(handler))
    .map(({ method, path }) => {
      const own = all.filter((one) => one.method === method && one.path === path).map((one) => one.handler);
      return {
        method: method === "ALL" ? "*" : method,
        pattern: path,
        bodyLimit: own.flatMap((one) => ("bodyLimit" in one ? [Number(one.bodyLimit)] : []))[0],
        isPublic: own.includes(isPublic),
      };
    });
}
