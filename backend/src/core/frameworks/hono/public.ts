import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono, MiddlewareHandler } from "hono";
import type { H, RouterRoute } from "hono/types";
import { findCaller } from "../../features/auth/auth.ts";
import { enter, passOn } from "../../features/auth/passing.ts";
import type { Route } from "../../http/routes.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The name of the token that a request came with. */
    caller: string | undefined;
  }
}

/** Declares a route public: `app.get("/status", isPublic, …)` needs no token. */
export const isPublic: MiddlewareHandler = async (_c, next) => {
  await next();
};

export function setCaller(c: Context, req: IncomingMessage): void {
  c.set("caller", findCaller(req));
}

/** Has every route and middleware check whether a request that reaches it needs a token. */
export function guardRoutes(
  app: Pick<Hono<never>, "router" | "routes" | "getPath">,
  routes: (Route & { inHono: RouterRoute })[],
): void {
  const { router } = app;
  const guarded = new Map(
    app.routes.map((one) => [
      one,
      guard(
        one.handler,
        routes.filter(({ inHono }) => inHono === one),
      ),
    ]),
  );
  app.router = {
    name: router.name,
    add: (...route) => router.add(...route),
    match: (...request) => {
      const found = router.match(...request);
      // The router returns the same pairs for every request.
      for (const [pair] of found[0]) pair[0] = guarded.get(pair[1]) ?? pair[0];
      return found;
    },
  };
}

function guard(handler: H, routes: Route[]): H {
  return (c, next) => {
    const { incoming } = c.env as HttpBindings;
    enter(incoming, routes, c.req.method);
    return handler(c, () => {
      if (routes.length > 0) passOn(incoming, routes);
      return next();
    });
  };
}
