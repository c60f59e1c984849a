import type { Request, Response } from "express";
import { findCaller } from "../../features/auth/auth.ts";

export { guardRouter } from "../../features/auth/express.ts";

declare global {
  namespace Express {
    interface Locals {
      caller?: string | undefined;
    }
  }
}

/** Declares a route public: `app.get("/status", isPublic, …)` needs no token. */
export const isPublic = (_req: unknown, _res: unknown, next: () => void): void => next();

/** Sets `res.locals.caller`: the name of the token that a request came with. */
export function setCaller(req: Request, res: Response): void {
  Object.assign(res, { locals: { caller: findCaller(req) } });
}
