import type { ItemSchema } from "./schema.ts";

/** An OpenAPI document, which describes a backend. */
export interface OpenApi {
  paths: Record<string, object>;
  components?: object;
  security?: object[];
}

/** A path at which items are listed and created. */
export interface Resource {
  path: string;
  item: ItemSchema;
  /** How many bytes a sent item may have, if not the default. */
  bodyLimitBytes?: number;
}

export interface Operation {
  /** In upper case. */
  method: string;
  /** As in the document, like `/items/{id}`. */
  path: string;
  /** A path that reaches it, with examples instead of parameters. */
  target: string;
  /** Its security requirements, if the document has any. */
  security: object[] | undefined;
  /** The media type of its body, if it takes one. */
  bodyType?: string | undefined;
  bodyLimitBytes?: number | undefined;
  /** By status, or a range of them. */
  answers: Record<string, Answer>;
  /** Whether it follows from a resource, or every backend has it. */
  isGenerated: boolean;
}

interface Answer {
  content?: object;
}

/** The order of methods in `Allow`. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The value of a parameter without an example in the document. */
const someId = "01a1dfb5-23f9-7600-89d4-567e85082e75";

/** Values for a parameter, of which one is taken that matches its pattern. */
const samples = [
  someId,
  "1",
  "12",
  "1234",
  "a",
  "abc",
  "abcdefgh",
  "a-b",
  "a1",
  "A",
  "1.0",
  "2026-01-31",
  "a.txt",
  "a.png",
];

/** Joined to a backend's URL, a path that begins otherwise could name another host, which would get the token. */
export const isPath = (path: string) => /^\/(?![/\\\s])/.test(path);

const pathsIn = ({ paths }: OpenApi) => Object.keys(paths).filter(isPath);

/** A resource has a list with `limit` and `cursor`, and creations with a schema in the document. */
export function resourcesIn(document: OpenApi): Resource[] {
  return pathsIn(document).flatMap((path) => {
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
  const generated = ["/health", ...resourcesIn(document).map((resource) => resource.path)];
  return pathsIn(document).flatMap((path) =>
    methods.flatMap((method) => {
      const operation = described(document, path, method);
      if (!operation) return [];
      const { parameters, content, security, responses = {}, "x-body-limit": bodyLimitBytes } = operation;
      const target = fill(path, parameters);
      const answers = Object.entries(responses).map(([status, one]) => [status, resolved<Answer>(document, one)]);
      const isGenerated = generated.some((one) => path === one || path.startsWith(`${one}/{`));
      return [
        {
          method,
          path,
          target,
          security,
          bodyType: Object.keys(content)[0],
          bodyLimitBytes,
          answers: Object.fromEntries(answers),
          isGenerated,
        },
      ];
    }),
  );
}

/** A path of the document, and one that reaches it, if it has parameters. */
type Where = Pick<Operation, "path"> & Partial<Pick<Operation, "target">>;

/** The value of `Allow` at a path. */
export function allowAt(document: OpenApi, where: Where): string {
  const here = operationsIn(document).filter(({ path }) => matches(path, where));
  const described = here.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const taken = new Set([...described, ...otherMethodsAt(document, where)]);
  const others = [...taken].filter((method) => !methods.includes(method));
  return [...methods.filter((method) => taken.has(method) && method !== "OPTIONS"), ...others, "OPTIONS"].join(", ");
}

/** The methods of a path's routes that no operation describes. `OPTIONS` is one if a handler answers it. */
export function otherMethodsAt({ paths }: OpenApi, where: Where): string[] {
  return Object.entries(paths).flatMap(([path, item]: [string, { "x-other-methods"?: string[] }]) =>
    matches(path, where) ? (item["x-other-methods"] ?? []) : [],
  );
}

/** Whether a handler at a path gets every method that no other route there takes. */
export function takesAnyMethod({ paths }: OpenApi, where: Where): boolean {
  return Object.entries(paths).some(([path, item]) => "x-any-method" in item && matches(path, where));
}

/** Several paths of the document may match a request. */
const matches = (path: string, { path: own, target = own }: Where) => path === own || toShape(path).test(target);

/** Whether a path of the document matches. */
export function isDescribed(document: OpenApi, path: string): boolean {
  return Object.keys(document.paths).some((one) => toShape(one).test(path));
}

/** A parameter matches one segment, unless that is encoded or consists of dots. */
function toShape(path: string): RegExp {
  const literals = path.split(/\{[^}]*\}/).map((text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join("(?!\\.{1,2}(?:/|$))[\\w.~!$&'()*+,;=:@-]+")}$`);
}

interface Described {
  parameters: Parameter[];
  content: Record<string, { schema?: { $ref?: string } }>;
  security: object[] | undefined;
  responses?: Record<string, object>;
  "x-body-limit"?: number;
}

interface Parameter {
  name: string;
  example?: unknown;
  schema?: { example?: unknown; examples?: unknown[]; pattern?: string };
}

/** An operation, with what its path and the whole document define for it. */
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
    const made = samples.find((one) => !schema?.pattern || new RegExp(schema.pattern, "u").test(one));
    return encodeURIComponent(String(example ?? schema?.example ?? schema?.examples?.[0] ?? made ?? someId));
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
