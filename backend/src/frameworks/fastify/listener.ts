import type { CreateListener } from "../../parts.ts";
import { createApp } from "./app.ts";
import { addCaller, choice, guardRoutes } from "./public.ts";
import { listRoutes } from "./route-list.ts";

/** Fastify's app as a request listener of Node. */
export const createListener: CreateListener = async (parts) => {
  const app = createApp(parts);
  addCaller(app);
  guardRoutes(app);
  await app.ready();
  return {
    listener: app.routing,
    routes: listRoutes(app),
    choice,
    close: () => app.close(),
  };
};
