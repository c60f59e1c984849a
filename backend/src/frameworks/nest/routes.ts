import type { Express } from "express";
import { type Handler, routesIn } from "../../http/express.ts";
import type { Route } from "../../http/routes.ts";
import type { Parts } from "../../parts.ts";
import { bodyLimitKey } from "./body.ts";
import { declared } from "./metadata.ts";
import { publicKey } from "./public.ts";

/** The routes that Nest has added to Express. */
export function routesOf({ router }: Express, parts: Parts): Route[] {
  const routes = routesIn(router).filter(({ handlers }) => !handlers.every(isMiddleware));
  for (const route of routes) {
    const limit = declared(bodyLimitKey, route.handlers);
    route.bodyLimit ??= typeof limit === "function" ? limit(parts) : limit;
    route.isPublic = declared(publicKey, route.handlers);
  }
  return routes;
}

/** In Express, `forRoutes()` and Nest's 404 handler are routes, too. Only a controller's route has a path here. */
function isMiddleware(handler: Handler): boolean {
  return handler.length > 2 && !Reflect.hasMetadata("path", handler);
}
