import type { HttpRequest } from "../../http/request.ts";
import { type Route, selectRoutes, takes } from "../../http/routes.ts";
import { findOpen, isOpen } from "./public-routes.ts";

declare module "../../http/request.ts" {
  interface HttpRequest {
    /** Whether a public route has passed the request on, and no other public route follows. */
    isPassedOn?: boolean;
  }
}

/** For the routes that a request reaches, or for middleware and mounted apps, which are none: they may need a token after all. */
export function enter(req: object, routes: Route[] = [], method = (req as HttpRequest).method ?? ""): void {
  const { requireToken, isPassedOn, match } = req as HttpRequest;
  if (!requireToken) return;
  const isClosed = routes.some((route) => takes(route, method) && !isOpen(route));
  // Code above the routes may have changed the method.
  const isForPublic = !isPassedOn && match && findOpen(match, method).length > 0;
  if (isClosed || (routes.length === 0 && !isForPublic)) requireToken();
}

/** For a handler of these routes that passes a request on. */
export function passOn(req: object, routes: Route[]): void {
  const { requireToken, match, method = "" } = req as HttpRequest;
  if (!requireToken) return;
  const all = match ? selectRoutes(match, method) : [];
  const last = all.findLastIndex((route) => routes.includes(route));
  Object.assign(req, { isPassedOn: last < 0 || !all.slice(last + 1).some(isOpen) });
}
