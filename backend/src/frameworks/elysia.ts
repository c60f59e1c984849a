import type { IncomingMessage, RequestListener } from "node:http";
import { Elysia } from "elysia";
import type { ServerRequest } from "srvx";
import { FastResponse, toNodeHandler } from "srvx/node";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin, type NodeResponse } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

const json = { "Content-Type": "application/json" };

export const createApp: CreateApp = ({ config, store, health }) => {
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onError(({ code, error, request }) => {
      const failure = code === "NOT_FOUND" ? notFound() : error;
      const { status, headers, body } = answerTo(failure, nodeRequest(request));
      return new FastResponse(body, { status, headers });
    })
    .get("/health", async () => {
      await health();
      return { status: "ok" };
    })
    .get("/items", async ({ request }) => {
      const page = readPage(nodeRequest(request));
      return new FastResponse(await store.list(page), { headers: json });
    })
    .post(
      "/items",
      async ({ request }) => {
        const creation = await readCreation(nodeRequest(request), config.bodyLimitBytes);
        return new FastResponse(await store.create(creation), { status: 201, headers: json });
      },
      { parse: "none" },
    );

  app.onRequest(({ request }) => allowOrigin(nodeRequest(request), nodeResponse(request), config.corsOrigins));
  app.onRequest(({ request }) => authenticate(nodeRequest(request), config.apiTokens));

  for (const [path, allow] of routes) {
    app.options(path, () => new FastResponse(null, { status: 204, headers: { Allow: allow } }));
    app.all(path, () => Promise.reject(methodNotAllowed(allow)), { parse: "none" });
  }

  return toNodeHandler(app.fetch) as RequestListener;
};

function nodeRequest(request: ServerRequest): IncomingMessage {
  return request.runtime?.node?.req as IncomingMessage;
}

function nodeResponse(request: ServerRequest): NodeResponse {
  return request.runtime?.node?.res as NodeResponse;
}
