import Hapi from "@hapi/hapi";
import { answerTo } from "../../failure.ts";
import type { Route } from "../../http/routes.ts";
import type { CreateApp, Parts } from "../../parts.ts";
import { jsonPayload, skipPayload } from "./body.ts";
import { itemRoutes } from "./items/routes.ts";
import { isPublic } from "./public.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

export const createApp: CreateApp = async (parts) => {
  const server = await createServer(parts);
  await server.start();
  return {
    listener: (req, res) => server.listener.emit("request", req, res),
    routes: routesOf(server),
    close: () => server.stop(),
  };
};

/** hapi's server, also for `server.inject` in tests. It never listens. */
export async function createServer(parts: Parts): Promise<Hapi.Server> {
  const server = Hapi.server({
    autoListen: false,
    compression: false,
    debug: false,
    operations: { cleanStop: false },
    routes: {
      cache: { otherwise: "no-store" },
      payload: { maxBytes: parts.config.bodyLimitBytes, timeout: false },
      response: { ranges: false },
      state: { failAction: "ignore" },
      validate: {
        failAction: (_request, _h, error) => {
          throw error;
        },
      },
    },
  });

  server.ext("onRequest", skipPayload);
  server.ext("onPreAuth", jsonPayload);

  server.route({
    method: "GET",
    path: "/health",
    handler: async () => {
      await parts.health();
      return { status: "ok" };
    },
  });

  await server.register({ plugin: itemRoutes, options: parts, routes: { prefix: "/items" } });
  await server.register(webhookRoutes(parts), { routes: { prefix: "/webhooks" } });

  // The last extension, so that earlier ones get hapi's own errors.
  server.ext("onPreResponse", ({ raw, response }, h) => {
    if (!("isBoom" in response)) return h.continue;
    const { status, headers, body } = answerTo(response, raw.req);
    const answer = h.response(body).code(status);
    for (const [name, value] of Object.entries(headers)) answer.header(name, value);
    return answer;
  });

  return server;
}

function routesOf(server: Hapi.Server): Route[] {
  const routes = server.table().filter(({ settings }) => !settings.isInternal);
  return routes.map((route) => {
    return {
      method: route.method.toUpperCase(),
      pattern: route.path,
      bodyLimit: route.settings.payload?.maxBytes,
      isPublic: isPublic(route),
    };
  });
}
