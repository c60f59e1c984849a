import type { RequestListener } from "node:http";
import { type H3, type H3Route, serve } from "h3";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { choice, isPublic } from "./public.ts";

/** h3's app as a request listener of Node. */
export function toListener(app: H3): AppListener {
  // It never listens. Closing it waits for background tasks (`event.waitUntil`).
  const server = serve(app, { manual: true, gracefulShutdown: false, silent: true });
  return {
    listener: server.node?.handler as RequestListener,
    routes: app["~routes"].map(toRoute),
    choice,
    close: () => server.close(),
  };
}

function toRoute({ method, route = "/", meta, handler }: H3Route): Route {
  return {
    method: method || "*",
    pattern: route.replace(/(?<=.)\/$/, ""),
    bodyLimit: meta?.bodyLimit,
    handlerTimeout: meta?.handlerTimeout,
    isPublic: isPublic(meta),
    definition: { handler, meta },
  };
}
