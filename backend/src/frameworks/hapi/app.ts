import Hapi from "@hapi/hapi";
import type { Parts } from "../../config.ts";
import { core, exact, refuseAnswer, sendProblem } from "../../core/frameworks/hapi/connect.ts";
import { routes } from "./routes.ts";

export async function createApp(parts: Parts): Promise<Hapi.Server> {
  const server = Hapi.server({
    autoListen: false,
    // hapi would print errors as text. The server logs them.
    debug: false,
    listener: parts.server,
    // The server waits for its connections itself.
    operations: { cleanStop: false },
    routes: {
      payload: { maxBytes: parts.config.bodyLimitBytes, timeout: false },
      response: { failAction: refuseAnswer },
      validate: {
        // hapi would hide what is wrong.
        failAction: (_request, _h, error) => {
          throw error;
        },
      },
    },
  });

  await server.register(core);

  server.route({
    method: "GET",
    path: "/health",
    options: exact,
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
