import type { Lifecycle, RequestRoute } from "@hapi/hapi";
import { findCaller } from "../../features/auth/auth.ts";
import { enter } from "../../features/auth/passing.ts";
import type { Choice } from "../../features/auth/public-routes.ts";

declare module "@hapi/hapi" {
  interface RequestApplicationState {
    /** The name of the token that a request came with. */
    caller?: string | undefined;
  }
}

/** For the `options` of a route. */
export const publicRoute = { auth: false } as const;

/** A route is declared public by `options: { auth: false }`: it needs no token. */
export function isPublic({ settings }: RequestRoute): boolean {
  return (settings.auth as unknown) === false;
}

/** Its router chooses the route with the most specific pattern. */
export const choice: Choice = "specific";

/** Whether a route depends on the host. */
export const isConditional = ({ vhost }: RequestRoute) => vhost !== undefined;

/** Sets `request.app.caller`. */
export const setCaller: Lifecycle.Method = ({ app, raw }, h) => {
  app.caller = findCaller(raw.req);
  return h.continue;
};

/** Checks whether a request needs a token at the route that it reaches: `request.setUrl()` may have changed its path. */
export const guardRoute: Lifecycle.Method = ({ route, raw }, h) => {
  enter(raw.req, [{ method: "*", pattern: route.path, isPublic: isPublic(route) }]);
  return h.continue;
};
