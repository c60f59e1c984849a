import type { MiddlewareHandler } from "hono";

/** Declares a route public: `app.get("/status", isPublic, …)` needs no token. */
export const isPublic: MiddlewareHandler = (_c, next) => next();
