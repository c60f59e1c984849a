import type { IncomingMessage } from "node:http";
import { H3, type H3Event, HTTPResponse, toNodeHandler } from "h3";
import { authenticate } from "../features/auth/auth.ts";
import { allowOrigin, type NodeResponse } from "../features/cors/cors.ts";
import { readCreation, readPage } from "../input.ts";
import { type CreateApp, routes } from "../parts.ts";
import { answerTo, methodNotAllowed, notFound } from "../problem.ts";

const json = { "Content-Type": "application/json" };

export const createApp: CreateApp = ({ config, store, health }) => {
  const app = new H3({
    silent: true,
    onError: ({ cause }, event) => {
      const { status, headers, body } = answerTo(cause, nodeRequest(event));
      return new HTTPResponse(body, { status, headers });
    },
  });

  app.use((event) => allowOrigin(nodeRequest(event), nodeResponse(event), config.corsOrigins));
  app.use((event) => authenticate(nodeRequest(event), config.apiTokens));

  const getHealth = async () => {
    await health();
    return { status: "ok" };
  };
  app.get("/health", getHealth).head("/health", getHealth);

  const listItems = async (event: H3Event) => {
    const page = readPage(nodeRequest(event));
    return new HTTPResponse(await store.list(page), { headers: json });
  };
  app.get("/items", listItems).head("/items", listItems);

  app.post("/items", async (event) => {
    const creation = await readCreation(nodeRequest(event), config.bodyLimitBytes);
    return new HTTPResponse(await store.create(creation), { status: 201, headers: json });
  });

  for (const [path, allow] of routes) {
    app.options(path, () => new HTTPResponse(null, { status: 204, headers: { Allow: allow } }));
    app.all(path, () => {
      throw methodNotAllowed(allow);
    });
  }

  app.all("/**", () => {
    throw notFound();
  });

  return toNodeHandler(app);
};

function nodeRequest(event: H3Event): IncomingMessage {
  return event.runtime?.node?.req as IncomingMessage;
}

function nodeResponse(event: H3Event): NodeResponse {
  return event.runtime?.node?.res as NodeResponse;
}
