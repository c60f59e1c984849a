import {
  type Choice,
  comparePatterns,
  type Match,
  type Route,
  Routes,
  segmentKinds,
  selectRoutes,
  takes,
  toShape,
} from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";

declare module "../../http/routes.ts" {
  interface Route {
    /** Whether it is declared public: it needs no token. */
    isPublic?: boolean | undefined;
    /** Whether it depends on more than method and path, like the host. */
    isConditional?: boolean;
    /** Whether it certainly takes a path, if the router cannot be asked and its patterns may mean more. */
    surelyTakes?(path: string): boolean;
  }
}

/** Knows which requests need no token: those that the router certainly passes to a public route. */
export class PublicRoutes {
  readonly #routes: Route[];
  readonly #choice: Choice | undefined;
  readonly #closed: { shape: RegExp; route: Route }[];
  readonly #sureShapes: Map<Route, RegExp>;
  readonly #known = new WeakMap<Match, Map<string, boolean>>();

  constructor({ routes, choice }: Pick<AppListener, "routes" | "choice">) {
    this.#routes = routes;
    this.#choice = choice;
    // A router may ignore case.
    this.#closed = routes
      .filter((route) => !isOpen(route))
      .map((route) => ({ shape: new RegExp(toShape(withoutSlash(route.pattern)), "i"), route }));
    this.#sureShapes = new Map(routes.filter(isOpen).map((route) => [route, toSureShape(route)]));
  }

  /** Whether a request needs no token. It does if the router might choose another route. */
  take(match: Match, method: string): boolean {
    if (!match.isFixed) return this.#rivals(match, method)?.length === 0;
    const known = this.#known.get(match) ?? new Map<string, boolean>();
    const isTaken = known.get(method) ?? this.#rivals(match, method)?.length === 0;
    this.#known.set(match, known.set(method, isTaken));
    return isTaken;
  }

  /** The routes that are declared public, but need a token at some path, and the routes that might be chosen instead. */
  findClosed(): { route: Route; rivals: Route[] }[] {
    const routes = new Routes(this.#routes, this.#choice);
    return this.#routes.filter(isOpen).flatMap((route) => {
      const rivals = this.#rivals(routes.at(toSample(route.pattern)), route.method) ?? [];
      return rivals.length > 0 ? [{ route, rivals }] : [];
    });
  }

  /** The closed routes that the router might choose; undefined if there is no public one. */
  #rivals(match: Match, method: string): Route[] | undefined {
    const open = findOpen(match, method);
    if (open.length === 0) return undefined;
    if (open.some(isHealth)) return [];
    // A router may ignore a slash at the end, too.
    const path = withoutSlash(match.path);
    const closed = this.#closed.filter(({ shape, route }) => shape.test(path) && takes(route, method));
    // The router has chosen already; only a closed route in another case is left.
    if (this.#choice === "known")
      return closed.filter(({ shape }) => !new RegExp(shape.source).test(path)).map(({ route }) => route);
    const isSure = (route: Route) =>
      !route.isConditional && (route.takesPath !== undefined || this.#sureShapes.get(route)?.test(match.path) === true);
    return closed
      .map(({ route }) => route)
      .filter((rival) => !open.some((route) => isSure(route) && this.#precedes(route, rival, method)));
  }

  /** Whether the router chooses the first of two routes that both match. Routers disagree about methods: both must. */
  #precedes(one: Route, other: Route, method: string): boolean {
    if (this.#choice !== "specific")
      return this.#choice === "first" && this.#routes.indexOf(one) < this.#routes.indexOf(other);
    const byMethod = rankMethod(one, method) - rankMethod(other, method);
    const byPattern = comparePatterns(one.pattern, other.pattern);
    return !other.isConditional && byMethod <= 0 && (byPattern < 0 || (byPattern === 0 && byMethod < 0));
  }
}

/** The public routes that take a request, as far as that is known. */
export function findOpen(match: Match, method: string): Route[] {
  return selectRoutes(match, method).filter(
    (route) =>
      isOpen(route) &&
      (isHealth(route) || (route.takesPath?.(match.path, method) ?? route.surelyTakes?.(match.path) ?? true)),
  );
}

export function isOpen(route: Route): boolean {
  return route.isPublic === true || isHealth(route);
}

function isHealth({ pattern }: Route): boolean {
  return pattern === "/health";
}

const withoutSlash = (path: string) => path.replace(/(?<=.)\/$/, "");

const rankMethod = ({ method }: Route, wanted: string) => [wanted, "GET", "*"].indexOf(method);

/** Matches only paths that the route certainly takes. Some routers refuse longer parameters. */
export function toSureShape({ pattern }: Route): RegExp {
  const { plain, parameter, wildcard } = segmentKinds;
  const segments = pattern.split("/").slice(1);
  const isLast = (index: number) => index === segments.length - 1;
  const parts = segments.map((segment, index) => {
    if (plain.test(segment)) return RegExp.escape(segment);
    if (parameter.test(segment)) return "[^/]{1,100}";
    return wildcard.test(segment) && isLast(index) ? ".+" : "(?!)";
  });
  return new RegExp(`^${parts.map((part) => `/${part}`).join("")}$`);
}

/** A path that the pattern matches, and no pattern that is more specific. */
function toSample(pattern: string): string {
  return pattern
    .split("/")
    .map((segment) => (segmentKinds.plain.test(segment) ? segment : "-"))
    .join("/");
}
