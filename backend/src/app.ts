import type { Parts } from "./config.ts";

/** The app in the framework that `FRAMEWORK` names; only that one is loaded. */
export async function createApp(parts: Parts): Promise<object> {
  const { createApp } = await apps[parts.config.framework]();
  return createApp(parts);
}

const apps = {
  elysia: () => import("./frameworks/elysia/app.ts"),
  express: () => import("./frameworks/express/app.ts"),
  fastify: () => import("./frameworks/fastify/app.ts"),
  h3: () => import("./frameworks/h3/app.ts"),
  hapi: () => import("./frameworks/hapi/app.ts"),
  hono: () => import("./frameworks/hono/app.ts"),
  koa: () => import("./frameworks/koa/app.ts"),
  nest: () => import("./frameworks/nest/app.ts"),
};
