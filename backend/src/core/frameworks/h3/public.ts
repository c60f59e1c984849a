import type { IncomingMessage } from "node:http";
import type { H3, H3Event, H3RouteMeta } from "h3";
import { findCaller } from "../../features/auth/auth.ts";
import { enter } from "../../features/auth/passing.ts";
import type { Route } from "../../http/routes.ts";

declare module "h3" {
  interface H3RouteMeta {
    /** Whether the route needs no token: `app.get("/status", handler, { meta: { isPublic: true } })`. */
    isPublic?: boolean;
  }
  interface H3EventContext {
    /** The name of the token that a request came with. */
    caller?: string | undefined;
  }
}

/** For the `meta` of a route. */
export const publicRoute = { isPublic: true };

export function isPublic(meta?: H3RouteMeta): boolean {
  return meta?.isPublic === true;
}

/** Has the route that a request reaches check whether it needs a token: `onRequest` may have changed the path. */
export function guardRoutes(app: H3, routes: Route[]): void {
  const find = app["~findRoute"].bind(app);
  const known = new Map(app["~routes"].map((one, index) => [one, routes[index] as Route]));
  app["~findRoute"] = (event) => {
    const found = find(event);
    const route = found && known.get(found.data);
    const req = event.runtime?.node?.req;
    if (route && req) enter(req, [route]);
    return found;
  };
}

export function setCaller({ context }: H3Event, req: IncomingMessage): void {
  context.caller = findCaller(req);
}
