import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { RouterRoute } from "hono/types";
import { findTargetHandler, isMiddleware } from "hono/utils/handler";
import { type Route, readLimits } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { choice, guardRoutes, isPublic } from "./public.ts";

/** Hono's app as a request listener of Node. */
export function toListener(app: Pick<Hono, "fetch" | "router" | "routes">): AppListener {
  const routes = findRoutes(app);
  guardRoutes(app, routes);
  return {
    listener: getRequestListener(app.fetch),
    routes,
    choice,
  };
}

export type HonoRoute = Route & { inHono: RouterRoute };

/** Hono lists every handler and middleware of a route, and what `use` has added before it. */
function findRoutes({ routes }: Pick<Hono, "routes">): HonoRoute[] {
  const all = routes.map((one) => ({ ...one, handler: findTargetHandler(one.handler), inHono: one }));
  return all
    .filter(({ method, handler }) => method !== "ALL" || !isMiddleware(handler))
    .map((route) => {
      const { method, path } = route;
      const before = all.slice(0, all.indexOf(route)).filter((one) => one.method === "ALL" && covers(one.path, path));
      const same = all.filter((one) => one.method === method && one.path === path);
      const own = [...before, ...same].map(({ handler }) => handler);
      return {
        method: method === "ALL" ? "*" : method,
        pattern: path,
        ...readLimits(own),
        isPublic: own.includes(isPublic),
        definition: own,
        inHono: route.inHono,
      };
    });
}

/** Whether a middleware at `/admin/*` or `/admin` is called for every request to a route. */
function covers(place: string, path: string): boolean {
  const [, above, isPrefix] = /^((?:\/[\w.~-]+)*)(\/\*)?$/.exec(place) ?? [];
  return above !== undefined && (path === above || (isPrefix !== undefined && path.startsWith(`${above}/`)));
}
