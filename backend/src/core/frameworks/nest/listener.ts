import type { INestApplication } from "@nestjs/common";
import { ModulesContainer } from "@nestjs/core";
import express from "express";
import type { CoreParts } from "../../feature.ts";
import { adopt, entityTag, type Handler, listRoutes } from "../../http/express.ts";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { bodyLimitKey, handlerTimeoutKey, unreadKey } from "./body.ts";
import { findDeclared, findMethod } from "./decorators.ts";
import { choice, guardRouter, publicKey } from "./public.ts";

// `src/listener.ts` imports this before the app: a router may be created when the file that contains it is imported.
adopt(express);

/** Nest's app. It listens to the requests of the parts' server. */
export async function toListener(app: INestApplication, parts: CoreParts): Promise<AppListener> {
  // Express's default computes a tag for every answer, also for those that no client may store.
  const server = app.getHttpAdapter().getInstance();
  if (server.get("etag") === "weak") server.set("etag", entityTag);
  await app.init();
  return {
    routes: findRoutes(app, parts),
    choice,
    close: () => app.close(),
  };
}

/** The routes that Nest has added to Express. */
function findRoutes(app: INestApplication, parts: CoreParts): Route[] {
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
