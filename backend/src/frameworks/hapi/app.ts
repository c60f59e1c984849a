import Hapi from "@hapi/hapi";
import { answerTo } from "../../core/failure.ts";
import { jsonPayload, skipPayload } from "../../core/frameworks/hapi/body.ts";
import type { Parts } from "../../parts.ts";
import { exact, routes } from "./routes.ts";

export async function createApp(parts: Parts): Promise<Hapi.Server> {
  const server = Hapi.server({
    autoListen: false,
    debug: false,
    listener: parts.server,
    operations: { cleanStop: false },
    routes: {
      payload: { maxBytes: parts.config.bodyLimitBytes, timeout: false },
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
    options: exact,
    handler: async () => {
      await parts.health();
      return { status: "ok" };
    },
  });

  await server.register({ plugin: routes, options: parts });

  // The last extension, so that earlier ones get hapi's own errors.
  server.ext("onPreResponse", ({ raw, response }, h) => {
    if (!("isBoom" in response)) return h.continue;
    const { status, headers, body } = answerTo(response, raw.req);
    const answer = h.response(body).code(status).header("Cache-Control", "no-store");
    for (const [name, value] of Object.entries(headers)) answer.header(name, value);
    return answer;
  });

  return server;
}
