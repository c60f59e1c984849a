import type { RequestRoute } from "@hapi/hapi";

/** For the `options` of a route. */
export const publicRoute = { auth: false } as const;

/** A route is declared public by `options: { auth: false }`: it needs no token. */
export function isPublic({ settings }: RequestRoute): boolean {
  return (settings.auth as unknown) === false;
}
