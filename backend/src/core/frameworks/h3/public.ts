import type { IncomingMessage } from "node:http";
import type { H3Event, H3RouteMeta } from "h3";
import { findCaller } from "../../features/auth/auth.ts";
import type { Choice } from "../../features/auth/public-routes.ts";

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

/** Its router chooses the route with the most specific pattern. */
export const choice: Choice = "specific";

export function setCaller({ context }: H3Event, req: IncomingMessage): void {
  context.caller = findCaller(req);
}
