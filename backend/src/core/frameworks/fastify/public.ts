import type { FastifyContextConfig, FastifyInstance, RouteOptions } from "fastify";
import { findCaller } from "../../features/auth/auth.ts";
import { enter } from "../../features/auth/passing.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Declares a route public: `app.get("/status", { config: { isPublic: true } }, …)` needs no token. */
    isPublic?: boolean;
  }
  interface FastifyRequest {
    /** The name of the token that a request came with. */
    readonly caller: string | undefined;
  }
}

/** The `config` of a public route. */
export const publicConfig = { isPublic: true };

export const isPublic = (config: FastifyContextConfig = {}) => config.isPublic === true;

/** Whether a route depends on the host, a version or another constraint. */
export const isConditional = ({ constraints }: Pick<RouteOptions, "constraints">) => constraints !== undefined;

export function addCaller(app: FastifyInstance): void {
  app.decorateRequest("caller", {
    getter() {
      return findCaller(this.raw);
    },
  });
}

/** Has every route check whether a request needs a token: `rewriteUrl` may have changed its path. */
export function guardRoutes(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw, routeOptions: { url = "*", config } }, _reply, done) => {
    enter(raw, [{ method: "*", pattern: url, isPublic: isPublic(config) }]);
    done();
  });
}
