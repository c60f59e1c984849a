import { HttpRequest } from "./request.ts";
import { HttpResponse } from "./response.ts";
import type { Route } from "./routes.ts";

/** The part of Express's router that is used here. */
interface Router {
  stack: Layer[];
}

interface Layer {
  route?: { path: unknown; stack: { method?: string; handle: Handler }[] };
  handle: unknown;
  mounts?: unknown[];
}

interface Express {
  request: object;
  response: object;
  Router: { prototype: object };
}

/** Restores the prototypes that Express replaces, and records where routers are mounted, which Express does not. */
export function adopt({ request, response, Router }: Express): void {
  Object.setPrototypeOf(request, HttpRequest.prototype);
  Object.setPrototypeOf(response, HttpResponse.prototype);
  const router = Router.prototype as { use(this: Router, ...args: unknown[]): Router };
  const { use } = router;
  router.use = function (...args) {
    const before = this.stack.length;
    use.apply(this, args);
    const paths = [args[0]].flat();
    for (const layer of this.stack.slice(before)) layer.mounts = typeof paths[0] === "function" ? ["/"] : paths;
    return this;
  };
}

/** A route, and its handlers in Express. */
export type HandledRoute = Route & { handlers: Handler[] };
export type Handler = (...args: never[]) => unknown;

/** The routes of a router and of the routers that are mounted in it. */
export function routesIn(router: unknown, at = ""): HandledRoute[] {
  return (router as Router).stack.flatMap(({ route, handle, mounts = ["/"] }): HandledRoute[] => {
    if (!route) return isRouter(handle) ? mounts.flatMap((mount) => routesIn(handle, join(at, mount))) : [];
    const methods = new Set(route.stack.map(({ method }) => method));
    return [route.path].flat().flatMap((path) =>
      [...methods].map((method) => {
        const handlers = route.stack.filter((one) => one.method === method || !one.method).map((one) => one.handle);
        const [bodyLimit] = handlers.flatMap((one) => ("bodyLimit" in one ? [Number(one.bodyLimit)] : []));
        return { method: method?.toUpperCase() ?? "*", pattern: join(at, path) || "/", bodyLimit, handlers };
      }),
    );
  });
}

const isRouter = (handle: unknown) => typeof handle === "function" && "stack" in handle;
/** A path that is a regular expression may match anything. */
const join = (at: string, path: unknown) => at + (typeof path === "string" ? path.replace(/\/$/, "") : "/*");
