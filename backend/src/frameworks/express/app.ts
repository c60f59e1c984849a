import express from "express";
import type { Parts } from "../../config.ts";
import { jsonBody, sendProblem } from "../../core/frameworks/express/connect.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  const app = express();
  // Express reads these two when the first middleware or route is added.
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.disable("x-powered-by");

  // In place of express.json(): it reads only what a route takes, within its limits.
  app.use(jsonBody);

  app.get("/health", async (_req, res) => {
    await parts.health();
    res.json({ status: "ok" });
  });

  app.use(routes(parts));

  // Below all routes, as Express needs it.
  app.use(sendProblem);

  return app;
}
