import type { FastifyInstance } from "fastify";
import { jsonBody, onlyJson } from "./body.ts";
import { addCaller, guardRoutes } from "./public.ts";
import { recordRoutes } from "./route-list.ts";
import { keepCompilers, standardSchema } from "./schema.ts";

/** Adds the hooks and parsers of the core. A plugin that is loaded before this does not have them. */
export function connectCore(app: FastifyInstance): void {
  recordRoutes(app);
  addCaller(app);
  guardRoutes(app);
  app.addHook("onRoute", standardSchema);
  jsonBody(app);
}

/** Makes the routes of a plugin independent of the parsers and compilers that its app has. */
export function isolate(app: FastifyInstance): void {
  keepCompilers(app);
  onlyJson(app);
}
