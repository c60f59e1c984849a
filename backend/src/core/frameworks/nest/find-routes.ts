import type { INestApplication } from "@nestjs/common";
import { ModulesContainer } from "@nestjs/core";
import { type Handler, listRoutes } from "../../http/express.ts";
import type { Route } from "../../http/routes.ts";
import type { CoreParts } from "../../parts.ts";
import { bodyLimitKey, handlerTimeoutKey, unreadKey } from "./body.ts";
import { findDeclared, findMethod } from "./metadata.ts";
import { guardRouter, publicKey } from "./public.ts";

/** The routes that Nest has added to Express. */
export function findRoutes(app: INestApplication, parts: CoreParts): Route[] {
  const { router } = app.getHttpAdapter().getInstance();
  const modules = app.get(ModulesContainer);
  const routes = listRoutes(router).filter(({ handlers }) => !handlers.every(isMiddleware));
  for (const route of routes) {
    const limit = findDeclared(bodyLimitKey, route.handlers);
    route.bodyLimit ??= typeof limit === "function" ? limit(parts) : limit;
    route.handlerTimeout ??= findDeclared(handlerTimeoutKey, route.handlers);
    route.isUnread = findDeclared(unreadKey, route.handlers);
    route.isPublic = findDeclared(publicKey, route.handlers);
    route.definition = findMethod(route.handlers, modules);
  }
  guardRouter(router, routes);
  return routes;
}

/** In Express, `forRoutes()` and Nest's 404 handler are routes, too. Only a controller's route has a path here. */
function isMiddleware(handler: Handler): boolean {
  return handler.length > 2 && !Reflect.hasMetadata("path", handler);
}
