import { createServer } from "node:http";
import Hapi from "@hapi/hapi";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

export const createApp: CreateApp = async ({ config, store, health }) => {
  const listener = createServer();
  const server = Hapi.server({
    listener,
    autoListen: false,
    compression: false,
    debug: false,
    routes: {
      cache: { otherwise: "no-store" },
      payload: {
        maxBytes: Number.MAX_SAFE_INTEGER,
        output: "stream",
        override: "application/json",
        parse: false,
        timeout: false,
      },
      response: { ranges: false },
      state: { parse: false },
    },
  });

  server.route([
    {
      method: "GET",
      path: "/health",
      handler: async () => {
        await health();
        return { status: "ok" };
      },
    },
    {
      method: "GET",
      path: "/items",
      handler: async (request, h) => {
        const page = readPage(request.raw.req);
        return h.response(await store.list(page)).type("application/json");
      },
    },
    {
      method: "POST",
      path: "/items",
      handler: async (request, h) => {
        const creation = await readCreation(request.raw.req, config.bodyLimitBytes);
        const item = await store.create(creation);
        return h.response(item).code(201).type("application/json");
      },
    },
  ]);

  for (const [path, allow] of routes) {
    server.route({ method: "OPTIONS", path, handler: (_request, h) => h.response().code(204).header("Allow", allow) });
    server.route({ method: "*", path, handler: () => Promise.reject(methodNotAllowed(allow)) });
  }

  server.route({ method: "*", path: "/{any*}", handler: () => Promise.reject(notFound()) });

  server.ext("onPreResponse", ({ raw, response }, h) => {
    if (!("isBoom" in response)) return h.continue;
    const { status, headers, body } = answerTo(response, raw.req);
    const answer = h.response(body).code(status);
    for (const [name, value] of Object.entries(headers)) answer.header(name, value);
    return answer;
  });

  await server.start();
  return (req, res) => listener.emit("request", req, res);
};
