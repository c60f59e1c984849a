import type Router from "@koa/router";
import type Koa from "koa";
import type { Middleware } from "koa";
import { findCaller } from "../../features/auth/auth.ts";
import { enter, passOn } from "../../features/auth/passing.ts";
import type { Route } from "../../http/routes.ts";

declare module "koa" {
  interface DefaultState {
    caller?: string | undefined;
  }
}

/** Declares a route public: `router.get("/status", isPublic, …)` needs no token. */
export const isPublic: Middleware = (_ctx, next) => next();

/** Whether the routes of a router depend on the host, or on each other. */
export const isConditional = ({ host, exclusive }: Router) => host !== undefined || exclusive;

/** Has what a router calls check whether a request that reaches it needs a token. */
export function guardLayer(layer: Router["stack"][number], routes: Route[]): void {
  const atEnd: Middleware = (ctx, next) => {
    passOn(ctx.req, routes);
    return next();
  };
  layer.stack = [guard(routes), ...layer.stack, ...(routes.length > 0 ? [atEnd] : [])];
}

/** Has the middleware behind a router check that, too. */
export function guardMiddleware(app: Koa): void {
  const first = app.middleware.findIndex((one) => "router" in one);
  app.middleware = app.middleware.flatMap((one, index) =>
    index < first || "router" in one ? [one] : [guard([]), one],
  );
}

const guard =
  (routes: Route[]): Middleware =>
  (ctx, next) => {
    enter(ctx.req, routes);
    return next();
  };

/** Sets `ctx.state.caller`: the name of the token that a request came with. */
export const setCaller: Middleware = (ctx, next) => {
  ctx.state.caller = findCaller(ctx.req);
  return next();
};
