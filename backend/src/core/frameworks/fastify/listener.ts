import type { FastifyInstance } from "fastify";
import type { AppListener } from "../../http/server.ts";
import { choice } from "./public.ts";
import { listRoutes } from "./route-list.ts";

/** Fastify's app as a request listener of Node. */
export async function toListener(app: FastifyInstance): Promise<AppListener> {
  await app.ready();
  return {
    listener: app.routing,
    routes: listRoutes(app),
    choice,
    close: () => app.close(),
  };
}
