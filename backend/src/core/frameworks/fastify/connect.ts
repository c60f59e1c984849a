import fp from "fastify-plugin";
import { jsonBody, onlyJson } from "./body.ts";
import { addCaller, guardRoutes } from "./public.ts";
import { recordRoutes } from "./route-list.ts";
import { keepCompilers, standardSchema } from "./schema.ts";

/** The hooks and parsers of the core. A route or a plugin that is loaded before this does not have them. */
export const core = fp(
  async (app) => {
    recordRoutes(app);
    addCaller(app);
    guardRoutes(app);
    standardSchema(app);
    jsonBody(app);
  },
  { name: "core" },
);

/** Makes the routes of a plugin independent of the parsers and compilers that its app has. */
export const isolated = fp(
  async (app) => {
    keepCompilers(app);
    onlyJson(app);
  },
  { name: "isolated" },
);
