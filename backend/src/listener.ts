import type { Parts } from "./config.ts";
import type { AppListener } from "./core/http/server.ts";

/** The listener of the framework that `FRAMEWORK` names; only that one is loaded. */
export async function createListener(parts: Parts): Promise<AppListener> {
  const { createListener } = await listeners[parts.config.framework]();
  return createListener(parts);
}

const listeners = {
  elysia: () => import("./frameworks/elysia/listener.ts"),
  express: () => import("./frameworks/express/listener.ts"),
  fastify: () => import("./frameworks/fastify/listener.ts"),
  h3: () => import("./frameworks/h3/listener.ts"),
  hapi: () => import("./frameworks/hapi/listener.ts"),
  hono: () => import("./frameworks/hono/listener.ts"),
  koa: () => import("./frameworks/koa/listener.ts"),
  nest: () => import("./frameworks/nest/listener.ts"),
};
