import type { RouteOptions } from "@hapi/hapi";

/**
 * For routes that use no cookies, and whose answers are always whole and never stored. hapi would refuse malformed
 * cookies, serve ranges of answers, and tell caches to keep them.
 */
export const exact: RouteOptions = { cache: false, response: { ranges: false }, state: { failAction: "ignore" } };
