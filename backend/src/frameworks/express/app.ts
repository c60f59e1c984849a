import express, { type Request, type Response } from "express";
import { answerTo } from "../../failure.ts";
import { adopt, routesIn } from "../../http/express.ts";
import type { CreateApp } from "../../parts.ts";
import { notFound } from "../../problem.ts";
import { jsonBody } from "./body.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

adopt(express);

export const createApp: CreateApp = (parts) => {
  const app = express();
  // Express reads these when the first middleware is added: add yours below.
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.disable("etag");
  app.disable("x-powered-by");

  // Above the parser, because these routes need the raw bytes, which are signed.
  app.use("/webhooks", webhookRoutes(parts));
  app.use(jsonBody);

  app.get("/health", async (_req, res) => {
    await parts.health();
    res.json({ status: "ok" });
  });

  app.use("/items", itemRoutes(parts));

  // Express calls back with errors that no handler took, and without one if no route matched.
  const listener = (req: Request, res: Response) =>
    app(req, res, (error) => {
      const { status, headers, body } = answerTo(error ?? notFound(), req);
      // An answer that was partly sent is cut off: it must not look complete.
      if (res.headersSent) res.destroy();
      else res.status(status).set(headers).send(body);
    });

  const routes = routesIn(app.router);
  for (const route of routes) route.isPublic = route.handlers.includes(isPublic);
  return { listener, routes };
};
