/** A route of a framework's router. */
export interface Route {
  /** In upper case; `*` is any. */
  method: string;
  /** In the framework's own notation, like `/items/:id` or `/items/{id}`. */
  pattern: string;
  /** Whether it is another spelling of a route's path, which is not documented. */
  isAlias?: boolean;
  /** How many bytes its body may have, if not the default. */
  bodyLimit?: number | undefined;
  /** Whether its handler reads the body itself. */
  isUnread?: boolean | undefined;
  /** Whether a schema validates the JSON of its body, which then is not compressed. */
  isValidated?: boolean | undefined;
  /** The route as its framework keeps it. `openapi.json` is generated from the schemas in it. */
  definition?: unknown;
  /** How many milliseconds its handler may take until it begins to answer, if not the default. */
  handlerTimeout?: number | undefined;
  /** Whether the router passes requests at a path to it, as the router itself finds out. A pattern alone may tell too little. */
  takesPath?(path: string, method: string): boolean;
}

/** How a router chooses one of several routes at a path: the first one, the one with the most specific pattern, or as `takesPath` says. */
export type Choice = "first" | "specific" | "known";

/** What the handlers and middleware of a route declare about it. */
export function readLimits(
  handlers: object[],
): Pick<Route, "bodyLimit" | "handlerTimeout" | "isUnread" | "isValidated"> {
  const { bodyLimit, handlerTimeout, isUnread }: Partial<Route> = Object.assign({}, ...handlers);
  const isValidated = handlers.some((one) => (one as { declares?: Declares }).declares?.body !== undefined);
  return { bodyLimit, handlerTimeout, isUnread, isValidated };
}

/** The routes at a path. */
export interface Match {
  path: string;
  /** In the order in which they were added, without those for OPTIONS. */
  routes: Route[];
  /** OPTIONS is answered for every route; plugins that add it add it at any path. */
  options: Route[];
  /** Their methods, for the header `Allow`; empty if they take any. */
  allow: string;
  /** Whether one of them has exactly this path, without a parameter. */
  isFixed: boolean;
  /** The routes for each method that was looked up before. */
  known: Map<string, Route[]>;
}

const order = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** The methods that people use, where a route takes any. */
export const anyMethod = [...order, "OPTIONS"].join(", ");

/** Finds the routes at a path. It never misses one: if a notation is unknown, and the router cannot be asked, it finds too many. */
export class Routes {
  readonly #fixed = new Map<string, Match>();
  readonly #parametric: { shape: RegExp; route: Route }[];
  readonly #nothing = toMatch("", []);

  constructor(given: Route[], choice: Choice = "first") {
    const routes = choice === "first" ? given : given.toSorted((a, b) => comparePatterns(a.pattern, b.pattern));
    const isFixed = ({ pattern }: Route) => /^[\w/.~-]*$/.test(pattern);
    this.#parametric = routes
      .filter((route) => !isFixed(route))
      .map((route) => ({ shape: toShape(route.pattern), route }));
    for (const { pattern } of routes.filter(isFixed)) {
      const found = this.#parametricAt(pattern);
      const here = routes.filter((route) => route.pattern === pattern || found.includes(route));
      this.#fixed.set(pattern, toMatch(pattern, here, true));
    }
  }

  at(path: string): Match {
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    const found = this.#parametricAt(path);
    return found.length > 0 ? toMatch(path, found) : this.#nothing;
  }

  /**
   * Whether a path ends with a slash, and is no other spelling of a route: one is written with it, or none has it without
   * the slash or with an empty parameter, except one for everything below a path.
   */
  isFolder(path: string): boolean {
    if (!path.endsWith("/")) return false;
    const { routes } = this.at(path);
    if (routes.some(({ pattern }) => pattern.endsWith("/"))) return true;
    const below = routes.filter(isOpenEnded);
    // Routers choose the more specific one, and those that choose the first one can be asked.
    const isLess = ({ pattern }: Route) => below.some((open) => comparePatterns(open.pattern, pattern) < 0);
    const isOther = (route: Route) => isOpenEnded(route) || !(asks(route, path) ?? !isLess(route));
    return [path.slice(0, -1), `${path}-`].every((other) => this.at(other).routes.every(isOther));
  }

  #parametricAt(path: string): Route[] {
    const isAt = ({ shape, route }: { shape: RegExp; route: Route }) =>
      shape.test(path) && (!isUnsure(shape) || (asks(route, path) ?? true));
    return this.#parametric.filter(isAt).map(({ route }) => route);
  }
}

/** A route for any method takes at least one that no other route names. */
const asks = (route: Route, path: string) => route.takesPath?.(path, route.method === "*" ? "ANY" : route.method);

/** Whether a route takes everything below a path. */
const isOpenEnded = ({ pattern }: Route) => /\*\*?\w*[})]?$/.test(pattern);

/** Routers with a tree compare segment by segment: plain text, then a part of a segment, a parameter, a wildcard. */
export function comparePatterns(one: string, other: string): number {
  const [ranks, others] = [one, other].map((pattern) => pattern.split("/").map(rankSegment));
  for (const [index, rank] of (ranks ?? []).entries()) {
    const difference = rank - (others?.[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return (ranks?.length ?? 0) - (others?.length ?? 0);
}

/** Segments of a pattern that are plain text, one whole parameter, or a wildcard. */
export const segmentKinds = {
  plain: /^[\w.~!$&',;=@-]*$/,
  parameter: /^(:\w+|\{\w+\})$/,
  wildcard: /^(\{?\*\w*\}?|\*\*(:\w+)?|\{\w+\*\})$/,
};

function rankSegment(segment: string): number {
  const { plain, parameter, wildcard } = segmentKinds;
  if (plain.test(segment)) return 0;
  if (parameter.test(segment)) return 2;
  return wildcard.test(segment) ? 3 : 1;
}

/** The routes of a match that take a method. */
export function selectRoutes({ routes, options, known }: Match, method: string): Route[] {
  const before = known.get(method);
  if (before) return before;
  const found = [...routes, ...options].filter((route) => takes(route, method));
  known.set(method, found);
  return found;
}

/**
 * A limit of the route that gets a request, one of those that were reached. A handler may pass on to a later route; one that is
 * less specific than an earlier one is for other requests.
 */
export function findLimit(reached: Route[], limit: "bodyLimit" | "handlerTimeout"): number | undefined {
  const index = reached.findIndex((route) => route[limit]);
  const found = reached[index];
  const isForOthers = reached.slice(0, index).some((route) => comparePatterns(route.pattern, found?.pattern ?? "") < 0);
  return isForOthers ? undefined : found?.[limit];
}

/** Whether a route accepts the body of a request: else it is not read. Routes are known of requests that came over the network. */
export function isForRoute({
  method = "GET",
  match,
}: {
  method?: string | undefined;
  match?: Match | undefined;
}): boolean {
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return false;
  if (!match) return true;
  const routes = selectRoutes(match, method);
  return routes.length > 0 && !routes.some(({ isUnread }) => isUnread);
}

export function takes(route: Route, method: string): boolean {
  return route.method === "*" || listMethods(route).includes(method);
}

function toMatch(path: string, found: Route[], isFixed = false): Match {
  const routes = found.filter(({ method }) => method !== "OPTIONS");
  const options = found.filter(({ method }) => method === "OPTIONS");
  const methods = new Set(routes.flatMap(listMethods));
  const match = { path, routes, options, allow: "", isFixed, known: new Map() };
  if (methods.size === 0 || methods.has("*")) return match;
  const rank = (method: string) => (order.indexOf(method) + 1 || order.length + 1) + Number(method === "OPTIONS");
  return { ...match, allow: [...methods.add("OPTIONS")].sort((a, b) => rank(a) - rank(b)).join(", ") };
}

const listMethods = ({ method }: Route) => (method === "GET" ? ["GET", "HEAD"] : [method]);

/** An optional parameter at the end: `/:page?`, `/{page?}` or `{/:page}`. */
const optional = /(\/:\w+\?|\/\{\w+\?\}|\{\/:\w+\})$/;

/** Whether a shape stands for more paths than the pattern may. */
const isUnsure = ({ source }: RegExp) => source.endsWith("(\\/.*)?$");

/** Parameters match one segment; after a wildcard, a custom pattern or anything else that is optional, anything can follow. */
export function toShape(pattern: string): RegExp {
  const segments: string[] = [];
  const end = optional.test(pattern) ? "(/[^/]*)?" : "";
  for (const segment of pattern.replace(optional, "").split("/").slice(1)) {
    if (/[*?+(]|\{.*[^\w}].*\}|\{$/.test(segment))
      return new RegExp(`^${segments.map((one) => `/${one}`).join("")}(/.*)?$`);
    // In some notations, two colons are one that begins no parameter.
    const text = segment.replaceAll("::", "");
    segments.push(/[:{]/.test(text) ? "[^/]+" : textShape(segment.replaceAll("::", ":")));
  }
  return new RegExp(`^${segments.map((one) => `/${one}`).join("")}${end}$`);
}

/** Some routers decode a path before they compare it. What needs no encoding has no other spelling that is allowed. */
function textShape(text: string): string {
  // Not `RegExp.escape`: tools read patterns with this on Node 20, too.
  const escaped = text.replace(/[^\w~-]/g, "\\$&");
  return /^[\w.~-]*$/.test(text) ? escaped : `(?:${escaped}|[^/%]*%[^/]*)`;
}

/** Whether all routers read a path the same way: no empty or dot segment, no needless or malformed encoding. */
export function isPlainPath(path: string): boolean {
  if (plain.test(path)) return true;
  return !dots.test(path) && encoded.test(path) && path.split("/").every(isEncodedOnce);
}

const plain = /^(\/|(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@|[\]-]+)+)$/;
const dots = /\/\.{1,2}(\/|$)/;
const encoded = /^(\/([\w.~!$&'()*+,;=:@|[\]-]|%[\dA-F]{2})+)+$/i;

/** Encoded characters must be valid UTF-8, need the encoding, and be neither separators nor control characters. */
function isEncodedOnce(segment: string): boolean {
  try {
    const text = decodeURIComponent(segment);
    const decoded = [...segment.matchAll(/(%[\dA-F]{2})+/gi)].map(([run]) => decodeURIComponent(run)).join("");
    return !/[/\\\p{Cc}]/u.test(text) && !/[\w.~-]/.test(decoded) && !/^\.{1,2}$/.test(text);
  } catch {
    return false;
  }
}

/** What a route takes and answers, in schemas of any library. */
export interface Declares {
  body?: unknown;
  query?: unknown;
  params?: unknown;
  headers?: unknown;
  /** By status, or a range of them like `2XX`. */
  answers?: Record<string, unknown> | undefined;
}

/** Marks a handler with what its route declares; `openapi.json` is generated from it. */
export function markHandler<Handler extends object>(
  declares: Declares,
  handler: Handler,
): Handler & { declares: Declares } {
  return Object.assign(handler, { declares });
}

/** Whether a schema validates the body of a request. */
export function isValidated(req: object): boolean {
  const { match, method = "" } = req as { match?: Match; method?: string };
  return match !== undefined && selectRoutes(match, method).some((route) => route.isValidated);
}

/** Middleware that declares the answers of a route for `openapi.json`: `app.post("/notes", answers({ 201: Note }), …)`. */
export function answers(byStatus: Record<number, unknown>) {
  return markHandler({ answers: byStatus }, createPassing());
}

/** Middleware that sets a larger or smaller body limit for a route: `app.post("/import", bodyLimit(5_000_000), …)`. */
export function bodyLimit(bytes: number) {
  return declare({ bodyLimit: bytes });
}

/** Middleware that lets the handler of a route take more or less time: `app.get("/report", handlerTimeout(60_000), …)`. */
export function handlerTimeout(milliseconds: number) {
  return declare({ handlerTimeout: milliseconds });
}

/** Middleware that leaves the body of a route to its handler, to read its bytes: `app.post("/hook", unreadBody, …)`. */
export const unreadBody = declare({ isUnread: true });

function declare<Limit extends object>(limit: Limit) {
  return Object.assign(createPassing(), limit);
}

/** Middleware that only passes on. It has two parameters, by which some routers tell middleware from handlers. */
export function createPassing() {
  return async (_request: unknown, second: unknown, next = second) => {
    // It returns nothing, which a router could take for an answer.
    await (next as () => Promise<void>)();
  };
}
