import { hash } from "node:crypto";
import { HttpRequest, putBelow } from "./request.ts";
import { HttpResponse } from "./response.ts";
import { type Route, readLimits } from "./routes.ts";

/** The part of Express's router that is used here. */
export interface Router {
  stack: Layer[];
  /** What `param` has added. */
  params: Record<string, Handler[]>;
}

interface Layer {
  route?: ExpressRoute;
  handle: Handler;
  handleRequest(req: object, res: object, next: (error?: unknown) => void): void;
  match(path: string): boolean;
  mounts?: unknown[];
  /** What was passed to `app.use`: Express puts a function of its own in place of an app. */
  given?: Handler | undefined;
}

interface ExpressRoute {
  path: unknown;
  stack: { method?: string; handle: Handler }[];
}

/** What requests and responses become in Express, of all apps or of one. */
interface Prototypes {
  request: object;
  response: object;
}

interface Express extends Prototypes {
  Router: { prototype: object };
  application: { use(this: App, ...args: unknown[]): object };
}

interface App extends Prototypes {
  router: Router;
  disable(setting: string): unknown;
}

/** The method of every app, which tells an app of this Express from other functions. */
let useInApp: Express["application"]["use"] | undefined;

/** Records which routers and apps are mounted where, which Express does not, and restores the prototypes that it replaces. */
export function adopt({ request, response, Router, application }: Express): void {
  const { get: isFresh } = Object.getOwnPropertyDescriptor(request, "fresh") ?? {};
  Object.defineProperty(request, "fresh", {
    configurable: true,
    enumerable: true,
    get(this: HttpRequest & { res: HttpResponse }) {
      // For Express, `*` matches any answer. One without a tag has nothing to match.
      const isAny = this.headers["if-none-match"] === "*" && !this.res.hasHeader("etag");
      return !isAny && isFresh?.call(this);
    },
  });
  const sender = response as { send(this: HttpResponse, body?: unknown): unknown };
  const { send } = sender;
  sender.send = function (body) {
    mayBeStored = this.hasHeader("cache-control");
    return send.call(this, body);
  };
  const router = Router.prototype as { use(this: Router, ...args: unknown[]): Router };
  const { use } = router;
  // Paths are exact, unless a router's options say otherwise.
  for (const option of ["caseSensitive", "strict"])
    Object.defineProperty(router, option, {
      configurable: true,
      set(value = true) {
        Object.defineProperty(this, option, { value, writable: true, configurable: true, enumerable: true });
      },
    });
  router.use = function (...args) {
    const before = this.stack.length;
    use.apply(this, args);
    const paths = [args[0]].flat();
    for (const layer of this.stack.slice(before)) layer.mounts = typeof paths[0] === "function" ? ["/"] : paths;
    return this;
  };
  const { use: useOf } = application;
  useInApp = function (...args) {
    const before = this.router.stack.length;
    useOf.apply(this, args);
    const given = args.flat(Number.POSITIVE_INFINITY).filter((one) => typeof one === "function");
    for (const [index, layer] of this.router.stack.slice(before).entries()) layer.given = given[index] as Handler;
    return this;
  };
  application.use = useInApp;
  // The types of Express do not have it.
  const handler = application as unknown as { handle(this: App, req: object, ...rest: unknown[]): void };
  const { handle } = handler;
  handler.handle = function (req, ...rest) {
    // The app's first handler may need them. An app in another one has them from that.
    if (req instanceof HttpRequest) {
      putBelow(this.request, HttpRequest);
      putBelow(this.response, HttpResponse);
      // A mounted app has its own setting, which names Express.
      this.disable("x-powered-by");
    }
    handle.call(this, req, ...rest);
  };
}

/** Whether the answer that Express is sending says how it may be stored. */
let mayBeStored = false;

/** For `app.set("etag", …)`: what Express computes by default. An answer that may not be stored needs no entity tag. */
export function entityTag(body: string | Buffer): string | undefined {
  if (!mayBeStored) return undefined;
  return `W/"${Buffer.byteLength(body).toString(16)}-${hash("sha1", body, "base64").slice(0, 27)}"`;
}

/** A route, its handlers in Express, also those that `use` has added before it, and where its router is mounted. */
export type HandledRoute = Route & { handlers: Handler[]; inExpress: ExpressRoute };
export type Handler = (...args: never[]) => unknown;

/** The routes of a router, and of the routers and apps that are mounted in it. */
export function listRoutes(router: unknown, at = "", above: Used[] = []): HandledRoute[] {
  const used = [...above];
  return (router as Router).stack.flatMap((layer): HandledRoute[] => {
    const { route, handle, mounts = ["/"] } = layer;
    const places = mounts.map((mount) => join(at, mount).replace(/\/$/, ""));
    const inner = findRouter(layer);
    if (inner) return places.flatMap((place) => listRoutes(inner, place, used));
    if (!route) {
      used.push(...places.map((place) => ({ place, handler: handle })));
      return [];
    }
    const methods = new Set(route.stack.map(({ method }) => method));
    return [route.path].flat().flatMap((path) =>
      [...methods].map((method) => {
        const pattern = (path === "/" ? at : join(at, path)) || "/";
        const own = route.stack.filter((one) => one.method === method || !one.method).map((one) => one.handle);
        const handlers = [...used.filter(({ place }) => isBelow(pattern, place)).map(({ handler }) => handler), ...own];
        const limits = readLimits(handlers);
        const takesPath = (asked: string) => takes(layer, at, asked);
        return {
          method: method?.toUpperCase() ?? "*",
          pattern,
          ...limits,
          handlers,
          definition: { handlers: own, pattern },
          inExpress: route,
          // A mount with parameters is not compared by Express here.
          ...(/^[\w/.~-]*$/.test(at) ? { takesPath } : {}),
        };
      }),
    );
  });
}

/** Whether Express calls a route at a path, if its router is mounted at another. */
function takes(layer: Layer, at: string, path: string): boolean {
  try {
    return `${path}/`.startsWith(`${at}/`) && layer.match(path.slice(at.length) || "/");
  } catch {
    // An encoding is malformed.
    return false;
  }
}

/** Whether `use` has added a handler for the paths below one, to which this path belongs. */
export function isMounted(router: unknown, path: string): boolean {
  const mounts = (router as Router).stack
    .flatMap(({ mounts = [] }) => mounts)
    .map((mount) => join("", mount).replace(/\/$/, ""));
  return mounts.some((mount) => mount !== "" && isBelow(path, mount));
}

/** A handler that `use` has added, and where. */
type Used = { place: string; handler: Handler };

/** The router that is mounted in a layer, or that of a mounted app. */
export function findRouter({ route, handle, given = handle }: Layer): Router | undefined {
  if (route) return undefined;
  // Apps of other packages, like connect, have a stack, too.
  if ("stack" in given && "params" in given) return given as unknown as Router;
  return "use" in given && given.use === useInApp ? (given as unknown as App).router : undefined;
}

/** Whether a handler at a place is called for every request at a pattern. */
const isBelow = (pattern: string, place: string) => /^[^*]*$/.test(place) && `${pattern}/`.startsWith(`${place}/`);
/** A path that is a regular expression may match anything. */
const join = (at: string, path: unknown) => at + (typeof path === "string" ? path : "/*");
