import express, { type ErrorRequestHandler } from "express";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

export const createApp: CreateApp = ({ config, store, health }) => {
  const app = express();
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.disable("etag");
  app.disable("x-powered-by");

  app.use((req, res, next) => {
    allowOrigin(req, res, config.corsOrigins);
    next();
  });

  app.use((req, _res, next) => {
    authenticate(req, config.apiTokens);
    next();
  });

  app.get("/health", async (_req, res) => {
    await health();
    res.json({ status: "ok" });
  });

  app.get("/items", async (req, res) => {
    const page = readPage(req);
    res.type("json").send(await store.list(page));
  });

  app.post("/items", async (req, res) => {
    const creation = await readCreation(req, config.bodyLimitBytes);
    res
      .status(201)
      .type("json")
      .send(await store.create(creation));
  });

  for (const [path, allow] of routes) {
    app
      .route(path)
      .options((_req, res) => {
        res.status(204).set("Allow", allow).end();
      })
      .all(() => {
        throw methodNotAllowed(allow);
      });
  }

  app.use(() => {
    throw notFound();
  });

  const onError: ErrorRequestHandler = (error, req, res, _next) => {
    const { status, headers, body } = answerTo(error, req);
    res.status(status).set(headers).send(body);
  };
  app.use(onError);

  return app;
};
