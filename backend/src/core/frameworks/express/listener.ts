import type { Express, Request, Response } from "express";
import { guardRouter } from "../../features/auth/express.ts";
import { routesIn } from "../../http/express.ts";
import type { AppListener } from "../../parts.ts";
import { notFound } from "../../problem.ts";
import { sendProblem } from "./problems.ts";
import { choice, isPublic, setCaller } from "./public.ts";

/** Express's app as a request listener of Node. */
export function toListener(app: Express): AppListener {
  // Express calls back with errors that no handler took, and without one if no route matched.
  const listener = (req: Request, res: Response) => {
    setCaller(req, res);
    return app(req, res, (error) => sendProblem(error ?? notFound(), req, res, () => {}));
  };

  const routes = routesIn(app.router);
  for (const route of routes) route.isPublic = route.handlers.includes(isPublic);
  guardRouter(app.router, routes);
  return {
    listener,
    routes,
    choice,
  };
}
