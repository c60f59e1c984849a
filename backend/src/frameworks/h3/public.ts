import type { H3RouteMeta } from "h3";

declare module "h3" {
  interface H3RouteMeta {
    /** Whether the route needs no token: `app.get("/status", handler, { meta: { isPublic: true } })`. */
    isPublic?: boolean;
  }
}

/** For the `meta` of a route. */
export const publicRoute = { isPublic: true };

export function isPublic(meta?: H3RouteMeta): boolean {
  return meta?.isPublic === true;
}
