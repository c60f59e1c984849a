import Hapi from "@hapi/hapi";
import type { Parts } from "../../config.ts";
import { core, healthOptions, sendProblem, serverOptions } from "../../core/frameworks/hapi/connect.ts";
import { routes } from "./routes.ts";

export async function createApp(parts: Parts): Promise<Hapi.Server> {
  const server = Hapi.server(serverOptions(parts));

  await server.register(core);

  server.route({
    method: "GET",
    path: "/health",
    options: healthOptions,
    handler: async () => {
      await parts.health();
      return { status: "ok" };
    },
  });

  await server.register({ plugin: routes, options: parts });

  // Extensions above this one get hapi's own errors, those below it get problems.
  server.ext("onPreResponse", sendProblem);

  return server;
}
