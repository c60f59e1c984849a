import type { ItemSchema } from "./schema.ts";

/** An OpenAPI document: what a backend says about itself. */
export interface OpenApi {
  paths: Record<string, object>;
  components?: object;
  security?: object[];
}

/** A path at which items are listed and created. */
export interface Resource {
  path: string;
  item: ItemSchema;
  /** How many bytes an item may have when it is sent, if not as many as usual. */
  bodyLimitBytes?: number;
}

export interface Operation {
  /** In capitals. */
  method: string;
  /** As the document has it, like `/items/{id}`. */
  path: string;
  /** A path that leads to it, with samples in place of parameters. */
  target: string;
  /** What it takes to be let in, if anything is said of it. */
  security: object[] | undefined;
  /** The media type of the body that it takes, if it takes one. */
  bodyType?: string | undefined;
  bodyLimitBytes?: number | undefined;
}

/** The order of methods in `Allow`. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Stands for a parameter of which the document has no example. */
const someId = "01a1dfb5-23f9-7600-89d4-567e85082e75";

/** A resource lists by `limit` and `cursor`, and creates what a schema of the document describes. */
export function resourcesIn(document: OpenApi): Resource[] {
  return Object.keys(document.paths).flatMap((path) => {
    const [get, post] = [described(document, path, "GET"), described(document, path, "POST")];
    const isListed = ["limit", "cursor"].every((name) => get?.parameters.some((one) => one.name === name));
    const schema = post?.content["application/json"]?.schema;
    if (path.includes("{") || !isListed || !schema?.$ref) return [];
    const { properties = {}, required = [], examples = [] } = resolved<Partial<ItemSchema>>(document, schema);
    const limit = post?.["x-body-limit"];
    return [{ path, item: { properties, required, examples }, ...(limit && { bodyLimitBytes: limit }) }];
  });
}

export function operationsIn(document: OpenApi): Operation[] {
  return Object.keys(document.paths).flatMap((path) =>
    methods.flatMap((method) => {
      const operation = described(document, path, method);
      if (!operation) return [];
      const { parameters, content, security, "x-body-limit": bodyLimitBytes } = operation;
      const target = fill(path, parameters);
      return [{ method, path, target, security, bodyType: Object.keys(content)[0], bodyLimitBytes }];
    }),
  );
}

/** The value of `Allow` where an operation is: several paths of the document may lead there. */
export function allowAt(document: OpenApi, { path, target }: Pick<Operation, "path" | "target">): string {
  const here = operationsIn(document).filter((one) => one.path === path || shapeOf(one.path).test(target));
  const taken = new Set(here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])));
  return methods.filter((method) => taken.has(method) || method === "OPTIONS").join(", ");
}

/** Whether the document has a path, spelled as it is. */
export function isDescribed(document: OpenApi, path: string): boolean {
  return Object.keys(document.paths).some((one) => shapeOf(one).test(path));
}

/** A parameter stands for one segment. One that is encoded, or made of dots, is not looked at. */
function shapeOf(path: string): RegExp {
  const literals = path.split(/\{[^}]*\}/).map((text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join("(?!\\.{1,2}(?:/|$))[\\w.~!$&'()*+,;=:@-]+")}$`);
}

interface Described {
  parameters: Parameter[];
  content: Record<string, { schema?: { $ref?: string } }>;
  security: object[] | undefined;
  "x-body-limit"?: number;
}

interface Parameter {
  name: string;
  example?: unknown;
  schema?: { example?: unknown; examples?: unknown[] };
}

/** An operation with what its path and the whole document say for it. */
function described(document: OpenApi, path: string, method: string): Described | undefined {
  const all = resolved<Record<string, Partial<Described> & { requestBody?: object }>>(document, document.paths[path]);
  const own = all[method.toLowerCase()];
  if (!own) return undefined;
  const shared = (all["parameters"] ?? []) as unknown as object[];
  const parameters = [...(own.parameters ?? []), ...shared].map((one) => resolved<Parameter>(document, one));
  const { content = {} } = resolved<Partial<Described>>(document, own.requestBody ?? {});
  return { ...own, parameters, content, security: own.security ?? document.security };
}

function fill(path: string, parameters: Parameter[]): string {
  return path.replace(/\{([^}]*)\}/g, (_, name) => {
    const { example, schema } = parameters.find((one) => one.name === name) ?? {};
    return encodeURIComponent(String(example ?? schema?.example ?? schema?.examples?.[0] ?? someId));
  });
}

/** Follows references within the document. */
function resolved<T>(document: OpenApi, value: object | undefined): T {
  const { $ref } = (value ?? {}) as { $ref?: string };
  if (!$ref) return (value ?? {}) as T;
  const keys = $ref.split("/").slice(1);
  const found = keys.reduce<unknown>((at, key) => {
    const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
    return (at as Record<string, unknown> | undefined)?.[name];
  }, document);
  if (!found) throw new Error(`The OpenAPI document has no ${$ref}.`);
  return resolved(document, found);
}
