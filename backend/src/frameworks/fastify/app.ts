import Fastify, { LogController } from "fastify";
import type { Parts } from "../../config.ts";
import { core, loggerOptions, unknownPaths } from "../../core/frameworks/fastify/connect.ts";
import type { StandardSchemaTypeProvider } from "../../core/frameworks/fastify/schema.ts";
import { toAnswer } from "../../core/http/response.ts";
import { routes } from "./routes.ts";

export async function createApp(parts: Parts) {
  const app = Fastify({
    bodyLimit: parts.config.bodyLimitBytes,
    logger: loggerOptions(parts.config.logLevel),
    // The server writes a line for each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    requestIdHeader: "x-request-id",
    // Fastify would answer 404 for a parameter over 100 characters, even if the item exists.
    routerOptions: { maxParamLength: 16_384 },
    serverFactory: () => parts.server,
    // The server decides what is still answered when it stops.
    return503OnClosing: false,
  }).withTypeProvider<StandardSchemaTypeProvider>();

  // Awaited: the routes below need its hooks.
  await app.register(core);

  app.setErrorHandler(async (error, request, reply) => {
    const { status, headers, body } = toAnswer(error, request.raw, reply.statusCode);
    return reply.code(status).headers(headers).send(body);
  });
  // Replace this line with your own `app.setNotFoundHandler(…)`: Fastify takes one only.
  app.register(unknownPaths);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.register(routes, { parts });

  return app;
}
