import { createServer } from "node:http";
import Hapi from "@hapi/hapi";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin } from "../features/cors/cors.ts";
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
      payload: { maxBytes: 2 ** 53 - 1, output: "stream", override: "application/json", parse: false, timeout: false },
      response: { ranges: false },
      state: { parse: false },
    },
  });

  server.ext("onRequest", ({ raw }, h) => {
    allowOrigin(raw.req, raw.res, config.corsOrigins);
    return h.continue;
  });

  server.ext("onRequest", ({ raw }, h) => {
    authenticate(raw.req, config.apiTokens);
    return h.continue;
  });

  const getHealth = async () => {
    await health();
    return { status: "ok" };
  };

  const listItems: Hapi.Lifecycle.Method = async ({ raw }, h) => {
    const page = readPage(raw.req);
    return h.response(await store.list(page)).type("application/json");
  };

  const createItem: Hapi.Lifecycle.Method = async ({ raw }, h) => {
    const item = await store.create(await readCreation(raw.req, config.bodyLimitBytes));
    return h.response(item).code(201).type("application/json");
  };

  server.route([
    { method: "GET", path: "/health", handler: getHealth },
    { method: "GET", path: "/items", handler: listItems },
    { method: "POST", path: "/items", handler: createItem },
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
