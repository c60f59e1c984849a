import type { Express, Request, Response } from "express";
import type { AppListener } from "../../http/app-server.ts";
import { entityTag, listRoutes } from "../../http/express.ts";
import { handleLast } from "./problems.ts";
import { choice, guardRouter, isPublic, setCaller } from "./public.ts";

/** Express's app as a request listener of Node. */
export function toListener(app: Express): AppListener {
  // Express's default computes a tag for every answer, also for those that no client may store.
  if (app.get("etag") === "weak") app.set("etag", entityTag);

  const listener = (req: Request, res: Response) => {
    setCaller(req, res);
    return app(req, res, handleLast(req, res));
  };

  const routes = listRoutes(app.router);
  for (const route of routes) route.isPublic = route.handlers.includes(isPublic);
  guardRouter(app.router, routes);
  return {
    listener,
    routes,
    choice,
  };
}
