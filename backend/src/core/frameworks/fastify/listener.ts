import type { FastifyInstance } from "fastify";
import type { AppListener } from "../../parts.ts";
import { addCaller, choice, guardRoutes } from "./public.ts";
import { listRoutes } from "./route-list.ts";

/** Fastify's app as a request listener of Node. */
export async function toListener(app: FastifyInstance): Promise<AppListener> {
  addCaller(app);
  guardRoutes(app);
  await app.ready();
  return {
    listener: app.routing,
    routes: listRoutes(app),
    choice,
    close: () => app.close(),
  };
}
