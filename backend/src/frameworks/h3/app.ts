import type { RequestListener } from "node:http";
import { H3, type H3Route, HTTPResponse, serve } from "h3";
import { answerTo } from "../../failure.ts";
import type { Route } from "../../http/routes.ts";
import type { CreateApp } from "../../parts.ts";
import { jsonBody, nodeRequest } from "./body.ts";
import { causeOf } from "./errors.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export const createApp: CreateApp = (parts) => {
  const app = new H3({
    silent: true,
    onError: (error, event) => {
      const { status, headers, body } = answerTo(causeOf(error, event), nodeRequest(event));
      // Headers that a handler has set would replace these.
      for (const name of Object.keys(headers)) event.res.headers.delete(name);
      return new HTTPResponse(body, { status, headers });
    },
  });

  app.use(jsonBody);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.mount("/items", itemRoutes(parts));
  app.mount("/webhooks", webhookRoutes(parts));

  // It never listens. Closing it waits for background tasks (`event.waitUntil`).
  const server = serve(app, { manual: true, gracefulShutdown: false, silent: true });

  return {
    listener: server.node?.handler as RequestListener,
    routes: app["~routes"].map(routeOf),
    close: () => server.close(),
  };
};

function routeOf({ method, route = "/", meta }: H3Route): Route {
  return {
    method: method || "*",
    pattern: route.replace(/(?<=.)\/$/, ""),
    bodyLimit: meta?.bodyLimit,
    isPublic: isPublic(meta),
  };
}
