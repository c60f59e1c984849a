import type { FastifyInstance, HTTPMethods, RouteOptions } from "fastify";
import type { Route } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { choice, isConditional, isPublic } from "./public.ts";

/** Fastify's app as a request listener of Node. */
export async function toListener(app: FastifyInstance): Promise<AppListener> {
  await app.ready();
  return {
    listener: app.routing,
    routes: listRoutes(app),
    choice,
    close: () => app.close(),
  };
}

const lists = new WeakMap<object, Route[]>();

/** Records the routes that are added after this. */
export function recordRoutes(app: FastifyInstance): void {
  const routes: Route[] = [];
  lists.set(app, routes);
  app.addHook("onRoute", function (route) {
    routes.push(...toRoutes(route, this));
  });
}

/** The recorded routes of an app, also those of its plugins. */
export function listRoutes(app: FastifyInstance): Route[] {
  const routes = lists.get(app) ?? [];
  return [...routes, ...routes.filter((route) => hasRoute(app, addSlash(route))).map(addSlash)];
}

/** With a prefix, Fastify adds a route at "/" twice, and reports it once. */
const addSlash = (route: Route): Route => ({ ...route, pattern: `${route.pattern}/`, isAlias: true });

const hasRoute = (app: FastifyInstance, { method, pattern }: Route) =>
  !pattern.includes("*") && app.hasRoute({ method: method as HTTPMethods, url: pattern });

type Added = RouteOptions & { routePath: string; prefix: string };

/** For a GET at "/items" Fastify also adds a HEAD at "/items/". */
function toRoutes(added: Added, app: FastifyInstance): Route[] {
  const { method, url, routePath, prefix, bodyLimit, handlerTimeout, schema } = added;
  const isAdded = (one: string) => one === "HEAD" && routePath === "/" && prefix !== "";
  const methods = [method].flat().filter((one) => !isAdded(one));
  return methods.map((one) => ({
    method: one,
    pattern: url.replace(/^\*/, "/*"),
    bodyLimit,
    handlerTimeout,
    // Hooks of a plugin may change it after the route was added.
    get isPublic() {
      return isPublic(added.config);
    },
    isConditional: isConditional(added),
    definition: { ...added, schema, app },
  }));
}
