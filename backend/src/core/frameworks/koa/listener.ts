import { METHODS } from "node:http";
import Router from "@koa/router";
import type Koa from "koa";
import { type Route, readLimits } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { choice, guardLayer, guardMiddleware, isConditional, isPublic, setCaller } from "./public.ts";

/** Koa's app as a request listener of Node. */
export function toListener(app: Koa): AppListener {
  const routes = findRoutes(app);
  app.middleware.unshift(setCaller);
  guardMiddleware(app);
  return {
    listener: app.callback(),
    routes,
    choice,
    close: () => Promise.all(app.listeners("close").map((close) => close())),
  };
}

/** The routes of all routers that the app uses. */
function findRoutes({ middleware }: Koa): Route[] {
  const routers = middleware.flatMap((one) => ("router" in one ? [one.router as Router] : []));
  return routers.flatMap((router) =>
    router.stack.flatMap((layer, index) => {
      const { methods, path, stack } = layer;
      const handlers = [...router.stack.slice(0, index).flatMap((before) => findHandlers(path, before)), ...stack];
      const route = {
        pattern: typeof path === "string" ? path : "/*",
        ...readLimits(handlers),
        isPublic: handlers.includes(isPublic),
        isConditional: isConditional(router),
        definition: stack,
      };
      const found = (methods.length > METHODS.length ? ["*"] : methods).map((method) => ({ method, ...route }));
      guardLayer(layer, found);
      return found;
    }),
  );
}

/** The handlers that `router.use` has added for a path. */
function findHandlers(path: Layer["path"], { methods, stack, ...layer }: Layer): Layer["stack"] {
  return methods.length === 0 && typeof path === "string" && layer.regexp.test(path) ? stack : [];
}

type Layer = Router["stack"][number];

type Options = { sensitive?: boolean | undefined };
type Register = (
  this: { opts: Options },
  path: unknown,
  methods: unknown,
  handler: unknown,
  options?: Options,
) => unknown;

const prototype: { register: Register } = Router.prototype as never;
const { register } = prototype;

// `src/listener.ts` imports this before the app: paths are exact, unless a router's options say otherwise.
prototype.register = function (path, methods, handler, options) {
  const { sensitive = this.opts.sensitive ?? true } = options ?? {};
  return register.call(this, path, methods, handler, { ...options, sensitive });
};
