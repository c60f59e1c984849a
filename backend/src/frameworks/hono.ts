import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

const json = { "Content-Type": "application/json" };

export const createApp: CreateApp = ({ config, store, health }) => {
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.use(async (c, next) => {
    allowOrigin(c.env.incoming, c.env.outgoing, config.corsOrigins);
    await next();
  });

  app.use(async (c, next) => {
    authenticate(c.env.incoming, config.apiTokens);
    await next();
  });

  app.get("/health", async (c) => {
    await health();
    return c.json({ status: "ok" });
  });

  app.get("/items", async (c) => {
    const page = readPage(c.env.incoming);
    return c.body(await store.list(page), 200, json);
  });

  app.post("/items", async (c) => {
    const creation = await readCreation(c.env.incoming, config.bodyLimitBytes);
    return c.body(await store.create(creation), 201, json);
  });

  for (const [path, allow] of routes) {
    app.options(path, (c) => c.body(null, 204, { Allow: allow }));
    app.all(path, () => {
      throw methodNotAllowed(allow);
    });
  }

  app.notFound(() => {
    throw notFound();
  });

  app.onError((error, c) => {
    const { status, headers, body } = answerTo(error, c.env.incoming);
    return c.body(body, status, headers);
  });

  return getRequestListener(app.fetch);
};
