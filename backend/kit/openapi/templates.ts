import type { Route } from "../../src/core/http/routes.ts";

/** An operation in `openapi.json`: a method in lower case and a path with `{parameters}`. */
export interface Place {
  method: string;
  path: string;
  /** The patterns that its parameters must match, by name, as far as its router has them. */
  patterns?: Record<string, string>;
}

/** The methods that are described. HEAD and OPTIONS follow from the others. */
export const methods = ["get", "post", "put", "patch", "delete"];

/** The places of a route in `openapi.json`. The method `*` is any; a route that catches all has no place. */
export function findPlaces({ method, pattern }: Route): Place[] {
  const isKnown = method === "*" || methods.includes(method.toLowerCase());
  if (!isKnown || catchesAll(method, pattern)) return [];
  const patterns = readPatterns(pattern);
  const isAny = Object.keys(patterns).length === 0;
  return toTemplates(pattern).map((path) => ({ method: method.toLowerCase(), path, ...(!isAny && { patterns }) }));
}

/** Paths that differ only in the names of their parameters are the same path. */
export function toShape(path: string): string {
  return path.replace(/\{[^}]*\}/g, "{}");
}

/** Whether two places are one; the method `*` is any. */
export function isSame(one: Place, other: Place): boolean {
  const isMethod = one.method === other.method || [one.method, other.method].includes("*");
  return isMethod && toShape(one.path) === toShape(other.path);
}

/** The names of a path's parameters. */
export function listParameters(path: string): string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
}

/** A wildcard for all paths or for any method: middleware, or a fallback handler. */
export function catchesAll(method: string, pattern: string): boolean {
  return /^\/?\{?\/?(\*|\w+\*\})/.test(pattern) || (method === "*" && pattern.includes("*"));
}

/** The paths that a pattern in any router's notation matches: one more for each optional part. */
export function toTemplates(pattern: string): string[] {
  const plain = pattern.replace(ownPattern, "{$1}");
  const [whole, optional, ...more] = optionalPart.exec(plain) ?? [];
  if (whole === undefined) return [named(plain)];
  const without = plain.replace(whole, "") || "/";
  return [without, plain.replace(whole, () => optional ?? more.join(""))].flatMap(toTemplates);
}

/** `:id{[0-9]+}` and `:id(\\d+)`: a parameter with a pattern. */
const ownPattern = /(?<![:\\]):(\w+)(?:\{(?![^{}]*[/.]:)(?:[^{}]|\{[^{}]*\})*\}|\((?:[^()]|\([^()]*\))*\))[*+]?/g;

/** The expressions in `:id{[0-9]+}` and `:id(\\d+)`. */
function readPatterns(pattern: string): Record<string, string> {
  const found = [...pattern.matchAll(ownPattern)].map(([whole, name = ""]) => {
    const source = whole.slice(whole.indexOf(name) + name.length + 1).replace(/[)}][*+]?$/, "");
    return [name, `^(?:${source.replace(/^\^|\$$/g, "")})$`] as const;
  });
  return Object.fromEntries(found.filter(([, source]) => isExpression(source)));
}

function isExpression(source: string): boolean {
  try {
    return Boolean(new RegExp(source, "u"));
  } catch {
    return false;
  }
}

/** `{/:id}`, `/:id?` and `/{id?}`. */
const optionalPart = /\{((?:[^{}]|\{\w+\})*[/:](?:[^{}]|\{\w+\})*)\}|(\/(?::\w+|\{\w+\}))\?|(\/\{\w+)\?(\})/;

/** `:id`, `*path`, `{*path}`, `{path*}`, `**:path`, wildcards without a name, and a colon that is text: `::` or `\:`. */
function named(pattern: string): string {
  return pattern
    .replace(/\{(\w+)\*\d*\}/g, "{$1}")
    .replace(/\{?\*+:?(\w*)\}?/g, (_, name) => `{${name || "path"}}`)
    .replace(/[:\\]:|:(\w+)[*+]?/g, (_, name) => (name ? `{${name}}` : ":"));
}
