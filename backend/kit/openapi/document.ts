import { type Match, type Route, Routes } from "../../src/core/http/routes.ts";
import { createComponents, type Described } from "./components.ts";
import type { Feature, Operation, Shared } from "./feature.ts";
import { describeItems } from "./features/item-routes.ts";
import { creation, health, listing, sharedBy } from "./operations.ts";
import { describeRoute } from "./own-routes.ts";
import { catchesAll, findPlaces, isSame, methods, type Place, toShape } from "./templates.ts";

/** The part of an OpenAPI document that is used here. */
export interface Document {
  security?: object[];
  tags?: Tag[];
  paths?: Paths;
  components?: Record<string, object>;
  [member: string]: unknown;
}

type Paths = Record<string, Record<string, Operation>>;
type Tag = { name: string };

/** A new document. The owner may change all of this part. */
export function newDocument(title: string): Document {
  const license = { name: "Proprietary", identifier: "LicenseRef-Proprietary" };
  return {
    openapi: "3.1.0",
    info: { title, version: "1.0.0", license },
    servers: [{ url: "http://127.0.0.1:3000", description: "As npm start serves it" }],
  };
}

/**
 * The document, up to date with the app. What follows from resources and from what routes declare is generated again,
 * and a route that is gone is left out; everything else that the owner wrote stays unchanged.
 */
export function updated(document: Document, app: Described): Document {
  const paths = updatedPaths(document.paths ?? {}, app);
  describeItems(paths, app);
  const text = JSON.stringify(paths);
  const resources = app.resources.filter(({ title }) => text.includes(`"#/components/schemas/New${title}"`));
  const tags = app.features.flatMap(({ tag }) => tag ?? []);
  const isOpen = app.features.every(({ guard }) => guard === undefined);
  return {
    ...document,
    ...(isOpen && { security: document.security ?? [] }),
    tags: withDeclared(withTags(document.tags ?? [], ["health", ...resources.map(({ name }) => name), ...tags]), app),
    paths,
    components: createComponents({ ...app, resources }, paths, document.components),
  };
}

function updatedPaths(known: Paths, { routes, hidden = [], resources, features }: Described): Paths {
  const paths = withoutGone(known, routes);
  const all = routes.flatMap((route) => findPlaces(route).map((place) => ({ ...place, route })));
  const described = new Set<string>();
  for (const { route, ...place } of all) {
    const shared = sharedBy(features, route);
    const path = keyIn(paths, place.path);
    const resource = resources.find((one) => isAt(one, path, all));
    for (const method of place.method === "*" ? listLeft(paths[path], path, all, described) : [place.method]) {
      const made = madeAt({ method, path }, resource, shared) ?? describedAt({ method, path }, features, shared);
      const operation =
        made ?? describeRoute({ ...place, method, path }, shared, route.declared, paths[path]?.[method]);
      paths[path] = { ...paths[path], [method]: { ...operation, ...route.declared?.text, ...describeLimit(route) } };
      described.add(`${method} ${path}`);
    }
  }
  const router = new Routes([...routes, ...hidden].filter((route) => !answersAllOptions(route)));
  for (const [path, item] of Object.entries(paths)) Object.assign(item, describeOthers(router.at(path), item));
  return paths;
}

/** The methods that stand for a route that takes any: those that the document has, if no other route describes them, or `GET`. */
function listLeft(item: object | undefined, path: string, all: Place[], described: ReadonlySet<string>): string[] {
  const known = methods.filter((method) => item && method in item);
  const isOwn = (method: string) => !all.some((one) => one.method === method && isSame(one, { method, path }));
  return known.length === 0 ? ["get"] : known.filter((method) => isOwn(method) && !described.has(`${method} ${path}`));
}

/** Marks a path of which a handler gets every method. It answers `OPTIONS` itself, and there is no 405. */
const anyMethod = "x-any-method";

/** The other methods of the routes at a path: no operation describes them, or they belong to a catch-all route. */
const otherMethods = "x-other-methods";

/** `OPTIONS` is one of them if a handler answers it. */
function describeOthers({ routes, options, allow }: Match, item: Record<string, unknown>): object {
  if (routes.some(takesAny)) return { [anyMethod]: true };
  const described = methods.filter((method) => item[method]).map((method) => method.toUpperCase());
  const following = [...(item["get"] ? ["HEAD"] : []), ...(options.length > 0 ? [] : ["OPTIONS"])];
  const others = allow.split(", ").filter((method) => ![...described, ...following].includes(method));
  return others.length > 0 ? { [otherMethods]: others } : {};
}

/** Express lists each method of `app.all`, also those that nobody declares alone. */
const takesAny = ({ method }: Route) => method === "*" || method === "TRACE";

/** What a plugin adds for browsers, which the checks recognise by its headers. */
const answersAllOptions = ({ method, pattern }: Route) => method === "OPTIONS" && catchesAll(method, pattern);

/** The paths without the operations whose routes are gone. */
function withoutGone(paths: Paths, routes: Described["routes"]): Paths {
  const routed = routes.flatMap(findPlaces);
  const isThere = (path: string, method: string) =>
    method !== anyMethod &&
    method !== otherMethods &&
    (!methods.includes(method) || routed.some((place) => isSame(place, { method, path })));
  const left = Object.entries(paths).map(([path, item]) => {
    const members = Object.entries(item).filter(([method]) => isThere(path, method));
    return [path, Object.fromEntries(members)] as const;
  });
  return Object.fromEntries(left.filter(([, item]) => methods.some((method) => method in item)));
}

/**
 * Whether a resource is listed and created at a path. Routes that declare other answers or another body are the
 * owner's own, also if they use its table.
 */
function isAt({ name }: Named, path: string, all: (Place & { route: Described["routes"][number] })[]): boolean {
  const isNested = !all.some((one) => one.path === `/${name}`);
  if (path !== `/${name}` && !(isNested && endsWithName(name, path))) return false;
  const find = (method: string) => all.find((one) => one.method === method && one.path === path)?.route;
  const [list, creation] = [find("get"), find("post")];
  if (!list || !creation) return false;
  const isOwn = ({ declared }: Described["routes"][number]) =>
    Object.values(declared?.answers ?? {}).some((schema) => Object.keys(schema).length > 0);
  const takesOther = creation.declared?.body && creation.declared.body.resource !== name;
  return !isOwn(list) && !isOwn(creation) && !takesOther;
}

/** The operation, if it follows from a resource or every backend has it. */
function madeAt({ method, path }: Place, resource: Named | undefined, shared: Shared): Operation | undefined {
  if (method === "get" && path === "/health") return health(shared);
  if (method === "get" && resource) return listing(resource, path, shared);
  if (method === "post" && resource) return creation(resource, path, shared);
  return undefined;
}

/** The operation, if a feature describes it. */
function describedAt(place: Place, features: Feature[], shared: Shared): Operation | undefined {
  return features.map((feature) => feature.operationAt?.(place, shared)).find((operation) => operation !== undefined);
}

type Named = Described["resources"][number];

const describeLimit = ({ bodyLimit }: Route) => (bodyLimit === undefined ? {} : { "x-body-limit": bodyLimit });

/** Whether a path is that of a resource, like `/v1/items`, and not nested in another one. */
const endsWithName = (name: string, path: string) => path.endsWith(`/${name}`) && !path.includes("{");

/** The path in the document, which may have other names for its parameters. */
function keyIn(paths: Paths, path: string): string {
  return Object.keys(paths).find((known) => toShape(known) === toShape(path)) ?? path;
}

/** With the tags that routes declare. */
function withDeclared(tags: Tag[], { routes }: Described): Tag[] {
  const declared = new Set(routes.flatMap((route) => route.declared?.text?.tags ?? []));
  const missing = [...declared].filter((name) => !tags.some((tag) => tag.name === name));
  return [...tags, ...missing.map((name) => ({ name, description: `Routes with the tag ${name}` }))];
}

function withTags(tags: Tag[], names: string[]): Tag[] {
  const missing = names.filter((name) => !tags.some((tag) => tag.name === name));
  return [...tags, ...missing.map((name) => ({ name, description: `What is at /${name}` }))];
}
