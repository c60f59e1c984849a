import type { Middleware } from "koa";

/** Declares a route public: `router.get("/status", isPublic, …)` needs no token. */
export const isPublic: Middleware = (_ctx, next) => next();
