import Fastify, { LogController } from "fastify";
import { answerTo } from "../../core/failure.ts";
import { jsonBody } from "../../core/frameworks/fastify/body.ts";
import { logger } from "../../core/frameworks/fastify/logger.ts";
import { recordRoutes } from "../../core/frameworks/fastify/route-list.ts";
import { buildValidator, standardSchema } from "../../core/frameworks/fastify/schema.ts";
import { notFound } from "../../core/problem.ts";
import type { Parts } from "../../parts.ts";
import { routes } from "./routes.ts";

export function createApp(parts: Parts) {
  const app = Fastify({
    bodyLimit: parts.config.bodyLimitBytes,
    loggerInstance: logger,
    // The server writes a line for each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    requestIdHeader: "x-request-id",
    // A long parameter is no other failure than a short one. The limit of all headers applies.
    routerOptions: { maxParamLength: 16_384 },
    schemaController: { compilersFactory: { buildValidator } },
    serverFactory: () => parts.server,
  });

  recordRoutes(app);
  app.setErrorHandler(async (error, request, reply) => {
    const { status, headers, body } = answerTo(error, request.raw);
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(async () => {
    throw notFound();
  });
  app.addHook("onRoute", standardSchema);
  jsonBody(app);

  app.get("/health", async () => {
    await parts.health();
    return { status: "ok" };
  });

  app.register(routes, { parts });

  return app;
}
