/** A route of a framework's router. */
export interface Route {
  /** In upper case; `*` is any. */
  method: string;
  /** In the framework's own notation, like `/items/:id` or `/items/{id}`. */
  pattern: string;
  /** How many bytes its body may have, if not the default. */
  bodyLimit?: number | undefined;
}

/** The routes at a path. */
export interface Match {
  routes: Route[];
  /** Their methods, for the header `Allow`; empty if they take any. */
  allow: string;
  /** Whether one of them has exactly this path, without a parameter. */
  isFixed: boolean;
  /** The routes for each method that was looked up before. */
  taking: Map<string, Route[]>;
}

const order = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Finds the routes at a path. It never misses one: if a notation is unknown, it finds too many. */
export class Routes {
  readonly #fixed = new Map<string, Match>();
  readonly #parametric: { shape: RegExp; route: Route }[];
  readonly #nothing = matchOf([]);

  constructor(all: Route[]) {
    // OPTIONS is answered for every route; plugins that add it add it at any path.
    const routes = all.filter(({ method }) => method !== "OPTIONS");
    const isFixed = ({ pattern }: Route) => /^[\w/.~-]*$/.test(pattern);
    this.#parametric = routes
      .filter((route) => !isFixed(route))
      .map((route) => ({ shape: shapeOf(route.pattern), route }));
    for (const { pattern } of routes.filter(isFixed)) {
      const same = routes.filter((route) => route.pattern === pattern);
      this.#fixed.set(pattern, matchOf([...same, ...this.#parametricAt(pattern)], true));
    }
  }

  at(path: string): Match {
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    const found = this.#parametricAt(path);
    return found.length > 0 ? matchOf(found) : this.#nothing;
  }

  #parametricAt(path: string): Route[] {
    return this.#parametric.filter(({ shape }) => shape.test(path)).map(({ route }) => route);
  }
}

/** The routes of a match that take a method. */
export function taking({ routes, taking }: Match, method: string): Route[] {
  const known = taking.get(method);
  if (known) return known;
  const found = routes.filter((route) => route.method === "*" || methodsOf(route).includes(method));
  taking.set(method, found);
  return found;
}

function matchOf(routes: Route[], isFixed = false): Match {
  const methods = new Set(routes.flatMap(methodsOf));
  if (methods.size === 0) return { routes, allow: "", isFixed, taking: new Map() };
  const rank = (method: string) => (order.indexOf(method) + 1 || order.length + 1) + Number(method === "OPTIONS");
  const allowed = [...methods.add("OPTIONS")].sort((a, b) => rank(a) - rank(b));
  return { routes, allow: methods.has("*") ? "" : allowed.join(", "), isFixed, taking: new Map() };
}

const methodsOf = ({ method }: Route) => (method === "GET" ? ["GET", "HEAD"] : [method]);

/** Parameters match one segment; after a wildcard, an optional parameter or a custom pattern, anything can follow. */
function shapeOf(pattern: string): RegExp {
  const segments: string[] = [];
  for (const segment of pattern.split("/").slice(1)) {
    if (/[*?+(]|\{.*[^\w}].*\}|\{$/.test(segment))
      return new RegExp(`^${segments.map((one) => `/${one}`).join("")}(/.*)?$`);
    segments.push(/[:{]/.test(segment) ? "[^/]+" : RegExp.escape(segment));
  }
  return new RegExp(`^${segments.map((one) => `/${one}`).join("")}$`);
}
