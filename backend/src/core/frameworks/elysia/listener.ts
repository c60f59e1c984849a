import type { RequestListener, Server } from "node:http";
import type { AnyElysia, InternalRoute } from "elysia";
import { toNodeHandler } from "srvx/node";
import type { CoreParts } from "../../feature.ts";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { choice, isPublic } from "./public.ts";
import { withLazyBody } from "./request.ts";

/** Elysia's app as a request listener of Node. */
export async function toListener(app: AnyElysia, parts: CoreParts): Promise<AppListener> {
  // The routes of async plugins exist only then.
  await app.modules;
  if (app["~adapter"].ws) passUpgrades(app, parts);
  const listener = toNodeHandler((request) => app.fetch(withLazyBody(request))) as RequestListener;
  return {
    listener,
    routes: app.routes.map((route) => toRoute(route, app)),
    choice,
    close: () => app.stop(),
  };
}

/** The adapter of `@elysiajs/node` would start a server. Here it only gets upgrades, for routes with `.ws()`. */
function passUpgrades(app: AnyElysia, { config, server }: CoreParts): void {
  const doNotListen = (inner: object) => Object.assign(inner, { serve: async () => inner });
  app.listen({ port: config.port, plugins: [doNotListen], gracefulShutdown: false } as object, (started) => {
    const { raw } = started as unknown as { raw: { node: { server: Server } } };
    server.on("upgrade", (...args) => raw.node.server.emit("upgrade", ...args));
  });
}

/** Elysia also serves a route at "/items/" at "/items". */
function toRoute({ method, path, hooks }: InternalRoute, app: object): Route {
  return {
    method: methods[method] ?? method,
    pattern: path.replace(/\/$/, "") || "/",
    bodyLimit: hooks.bodyLimit,
    handlerTimeout: hooks.handlerTimeout,
    isPublic: isPublic(hooks),
    definition: { hooks, app },
  };
}

/** Elysia's words for any method, and for upgrades. */
const methods: Record<string, string> = { ALL: "*", WS: "GET" };
