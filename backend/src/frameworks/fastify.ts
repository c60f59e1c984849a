import { METHODS } from "node:http";
import Fastify from "fastify";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

export const createApp: CreateApp = async ({ config, store, health }) => {
  const app = Fastify();
  for (const method of METHODS) app.addHttpMethod(method, { overrideExisting: true });

  // Bodies are read where they are wanted, by readCreation.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  app.addHook("onRequest", async ({ raw }, reply) => allowOrigin(raw, reply.raw, config.corsOrigins));
  app.addHook("onRequest", async ({ raw }) => authenticate(raw, config.apiTokens));

  app.get("/health", async () => {
    await health();
    return { status: "ok" };
  });

  app.get("/items", async (request, reply) => {
    const page = readPage(request.raw);
    return reply.type("application/json").send(await store.list(page));
  });

  app.post("/items", async (request, reply) => {
    const creation = await readCreation(request.raw, config.bodyLimitBytes);
    return reply
      .code(201)
      .type("application/json")
      .send(await store.create(creation));
  });

  for (const [url, allow] of routes) {
    app.options(url, async (_request, reply) => reply.code(204).header("Allow", allow).send());
    app.route({
      url,
      method: METHODS.filter((method) => !allow.split(", ").includes(method)),
      handler: async () => {
        throw methodNotAllowed(allow);
      },
    });
  }

  app.setNotFoundHandler(async () => {
    throw notFound();
  });

  app.setErrorHandler(async (error, request, reply) => {
    const { status, headers, body } = answerTo(error, request.raw);
    return reply.code(status).headers(headers).send(body);
  });

  await app.ready();
  return app.routing;
};
