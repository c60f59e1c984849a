import { isDeepStrictEqual } from "node:util";
import type { Route } from "../../src/core/http/routes.ts";
import type { Document } from "./document.ts";
import { findPlaces, isSame, methods, type Place } from "./templates.ts";

/** The differences between a document and a router, as sentences. */
export function differences({ paths = {} }: Document, routes: Route[]): string[] {
  const described = Object.entries(paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ method, path })),
  );
  const routed = routes.flatMap(findPlaces);
  return [
    ...lacking(described, routed).map((one) => `${one} is in the app, but not in openapi.json`),
    ...lacking(routed, described).map((one) => `${one} is in openapi.json, but not in the app`),
  ];
}

/** The parts of a document that are not up to date, as sentences. Missing routes are in `differences` already. */
export function stale(document: Document, made: Document): string[] {
  const known = listParts(document);
  const isLacking = (name: string) => known[name] === undefined && name.includes("/");
  return Object.entries(listParts(made))
    .filter(([name, part]) => !isLacking(name) && !isDeepStrictEqual(known[name], part))
    .map(([name, part]) => `${name} differs from the app in ${membersThatDiffer(known[name], part).join(", ")}`);
}

function membersThatDiffer(one: unknown, other: unknown): string[] {
  const [before, after] = [{ ...(one as object) }, { ...(other as object) }] as Record<string, unknown>[];
  const names = Object.keys({ ...before, ...after });
  return names.filter((name) => !isDeepStrictEqual(before?.[name], after?.[name]));
}

function listParts({ paths = {}, components = {}, tags, security }: Document): Record<string, unknown> {
  const ofPaths = Object.entries(paths).flatMap(([path, item]) => {
    const { get, post, put, patch, delete: remove, ...others } = item;
    const operations = Object.entries({ get, post, put, patch, delete: remove });
    return [...operations.map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]), [path, others]];
  });
  const parts = { tags, security, ...components, ...Object.fromEntries(ofPaths) };
  return JSON.parse(JSON.stringify(parts));
}

/** The wanted places that are missing. */
function lacking(there: Place[], wanted: Place[]): string[] {
  const missing = wanted.filter((one) => !there.some((other) => isSame(one, other)));
  return [...new Set(missing.map(({ method, path }) => `${method === "*" ? "GET" : method.toUpperCase()} ${path}`))];
}
