import type { RequestHandler } from "express";

/** Declares a route public: `app.get("/status", isPublic, …)` needs no token. */
export const isPublic: RequestHandler = (_req, _res, next) => next();
