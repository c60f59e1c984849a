import type { CreateApp } from "./parts.ts";

/** The app in the framework that `FRAMEWORK` names; only that one is loaded. */
export const createApp: CreateApp = async (parts) => {
  const { createApp } = await apps[parts.config.framework]();
  return createApp(parts);
};

const apps = {
  elysia: () => import("./frameworks/elysia.ts"),
  express: () => import("./frameworks/express.ts"),
  fastify: () => import("./frameworks/fastify.ts"),
  h3: () => import("./frameworks/h3.ts"),
  hapi: () => import("./frameworks/hapi.ts"),
  hono: () => import("./frameworks/hono.ts"),
  koa: () => import("./frameworks/koa.ts"),
  nest: () => import("./frameworks/nest.ts"),
};
