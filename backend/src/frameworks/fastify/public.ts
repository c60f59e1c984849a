import type { FastifyContextConfig } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Declares a route public: `app.get("/status", { config: { isPublic: true } }, …)` needs no token. */
    isPublic?: boolean;
  }
}

/** For the options of a route. */
export const publicRoute = { config: { isPublic: true } };

export const isPublic = (config: FastifyContextConfig = {}) => config.isPublic === true;
