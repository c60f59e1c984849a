import type { AppListener } from "./http/server.ts";
import type { CoreParts, Settings } from "./start.ts";

/** An app of the framework that `FRAMEWORK` names, as the server calls it; only that framework is loaded. */
export async function toListener(app: object, parts: CoreParts<Chosen>): Promise<AppListener> {
  const { toListener } = await connections[parts.config.framework]();
  return toListener(app as never, parts);
}

type Chosen = Settings & { framework: keyof typeof connections };

const connections = {
  elysia: () => import("./frameworks/elysia/connect.ts"),
  express: () => import("./frameworks/express/connect.ts"),
  fastify: () => import("./frameworks/fastify/connect.ts"),
  h3: () => import("./frameworks/h3/connect.ts"),
  hapi: () => import("./frameworks/hapi/connect.ts"),
  hono: () => import("./frameworks/hono/connect.ts"),
  koa: () => import("./frameworks/koa/connect.ts"),
  nest: () => import("./frameworks/nest/connect.ts"),
};
