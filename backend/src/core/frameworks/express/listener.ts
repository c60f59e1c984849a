import express, { type Express, type Request, type Response } from "express";
import { adopt, entityTag, listRoutes } from "../../http/express.ts";
import type { AppListener } from "../../http/server.ts";
import { handleLast } from "./connect.ts";
import { choice, guardRouter, isPublic, setCaller } from "./public.ts";

// `src/listener.ts` imports this before the app: a router may be created when the file that contains it is imported.
adopt(express);

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
