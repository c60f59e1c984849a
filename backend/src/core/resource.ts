import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
import { type Conditions, readConditionHeaders } from "./conditions.ts";
import { type Column, type Field, isId } from "./fields/field.ts";
import { findReferences, type References } from "./fields/ref.ts";
import { findUnique, type UniqueFields } from "./fields/unique.ts";
import { invalidInput, isMissing, maxErrors } from "./problem.ts";

/** A resource is stored in a table of its name, with a column for each field. */
export interface Resource<T extends object = Record<string, unknown>, Input = unknown> {
  name: string;
  /** The name of one of them in `openapi.json`. */
  title: string;
  schema: StandardSchemaV1<Input, T>;
  /** The schema for `openapi.json`, if it cannot be derived from `schema`. */
  jsonSchema?: Record<string, unknown>;
  columns: Record<keyof T & string, Column>;
  /** Fields of which no two may have the same value. */
  unique?: UniqueFields<T>;
  /** The resource whose ids a field holds. That resource must be mounted first. */
  references?: References<T>;
}

/** A resource with these fields and no others: its schema, its columns and its types follow from them. */
export function resource<F extends Record<string, Field>>(name: string, title: string, fields: F): ResourceWith<F> {
  const all = Object.entries(fields);
  const schemas = Object.fromEntries(all.map(([field, { schema }]) => [field, schema])) as Schemas<F>;
  const columns = Object.fromEntries(all.map(([field, { column }]) => [field, column]));
  return {
    name,
    title,
    schema: exactly(schemas),
    columns: columns as ResourceWith<F>["columns"],
    unique: findUnique(fields),
    references: findReferences(fields) as References<Sent<Schemas<F>>>,
  };
}

type Schemas<F extends Record<string, Field>> = { [Name in keyof F]: F[Name]["schema"] };
type ResourceWith<F extends Record<string, Field>> = Resource<Sent<Schemas<F>>, Given<Schemas<F>>>;

/** What a client sends to create one, once it is validated. */
export type Fields<R extends Pick<Resource, "schema">> = StandardSchemaV1.InferOutput<R["schema"]>;

/** One item as it is returned. */
export type Stored<T> = { id: string } & T & { createdAt: string };

declare const value: unique symbol;

/** JSON text. What it says has this type. */
export type Json<T> = string & { readonly [value]?: T };

export const parseJson = <T>(text: Json<T>): T => JSON.parse(text);

/** One page of a list as it is returned. */
export interface StoredPage<T> {
  items: Stored<T>[];
  nextCursor: string | null;
}

type Sent<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, string>>;
type Given<E extends v.ObjectEntries> = v.InferInput<v.ObjectSchema<E, string>>;
type Exactly<E extends v.ObjectEntries> = StandardSchemaV1<Given<E>, Sent<E>> & DecidesNames;

/** A schema that decides about every name in an object, also about `__proto__`, from which a framework may protect others. */
export interface DecidesNames {
  decidesNames: true;
}

export const decidesNames = (schema: object): boolean => "decidesNames" in schema;

/** A schema for an object with these fields and no others. Every fault is reported, up to one more than are listed. */
export function exactly<E extends v.ObjectEntries>(entries: E): Exactly<E> & { entries: E } {
  const object = v.object(entries, isMissing);
  const validate = (value: unknown): StandardSchemaV1.Result<Sent<E>> => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { issues: [{ message: "must be an object" }] };
    // Without a prototype, a field that was not sent is missing even if it is named like a member of `Object`.
    const own = { __proto__: null, ...value };
    const { value: output, issues = [] } = object["~run"]({ value: own }, stopAfter(maxErrors));
    const wrong = issues.map(({ path = [], message }) => ({ path: path.map(({ key }) => key as string), message }));
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(entries, name));
    if (wrong.length === 0 && unknown.length === 0)
      return { value: Object.assign(Object.create(null), output) as Sent<E> };
    const named = unknown.slice(0, maxErrors + 1).map((name) => ({ path: [name], message: "is not a known field" }));
    return { issues: [...wrong, ...named] };
  };
  return { entries, decidesNames: true, "~standard": { version: 1, vendor: "valibot", validate } };
}

/** A long list of wrong elements must not cost more than one of right elements. For each fault, Valibot reads `lang` once. */
function stopAfter(max: number): v.Config<v.BaseIssue<unknown>> {
  let faults = 0;
  return {
    abortPipeEarly: true,
    get lang() {
      faults++;
      return undefined;
    },
    get abortEarly() {
      return faults > max;
    },
  };
}

interface Asked {
  url?: string | URL | undefined;
  headers: Record<string, unknown>;
}

export interface Page {
  limit: number;
  cursor: string | undefined;
}

/** The page that a request asks for. */
export function readPage({ url }: Pick<Asked, "url">): Page {
  const query = readQuery(url, ["limit", "cursor"]);
  const result = toPage(query.get("limit") ?? undefined, query.get("cursor") ?? undefined);
  if (result.issues) throw invalidInput(result.issues);
  return result.value;
}

/** Validates the query of a list, as a framework has parsed it. A member that is undefined was not sent. */
export function validatePage(query: Record<string, unknown>): StandardSchemaV1.Result<Page> {
  for (const name of Object.keys(query)) {
    if (query[name] === undefined) continue;
    if (name !== "limit" && name !== "cursor") return refuse(name, "is unknown");
    if (Array.isArray(query[name])) return refuse(name, "must not be repeated");
  }
  return toPage(query["limit"], query["cursor"]);
}

/** The options of a creation, from its headers. Query parameters are refused. */
export function readCreation({ url, headers }: Asked) {
  readQuery(url, []);
  const key = headers["idempotency-key"];
  return { idempotencyKey: key === undefined ? undefined : String(key) };
}

/** The conditions of a request for one item. Query parameters are refused. */
export function readConditions(req: { url?: string | undefined; rawHeaders: string[] }): Conditions {
  readQuery(req.url, []);
  return readConditionHeaders(req);
}

export type Creation = ReturnType<typeof readCreation>;

export const unknownCursor = () => invalidInput(refuseCursor().issues);

const refuseCursor = () => refuse("cursor", "must be the nextCursor of an earlier page");

function toPage(limit: unknown = 20, cursor?: unknown): StandardSchemaV1.Result<Page> {
  if (!/^([1-9]\d?|100)$/.test(toText(limit))) return refuse("limit", "must be a whole number from 1 to 100");
  if (cursor !== undefined && !isId(toText(cursor))) return refuseCursor();
  return { value: { limit: Number(limit), cursor: cursor as Page["cursor"] } };
}

/** Some parsers of queries make objects. */
const toText = (value: unknown) => (typeof value === "object" ? "" : String(value));

/** What a schema returns for a value that it refuses. The code is that of the problem. */
function refuse(parameter: string, message: string) {
  return { issues: [{ code: "invalid_query", path: [parameter], message }] };
}

const noQuery = new URLSearchParams();

function readQuery(target: string | URL = "", known: string[]): URLSearchParams {
  const url = String(target);
  if (!url.includes("?")) return noQuery;
  // Without the ampersand the parser would drop a second question mark.
  const query = new URLSearchParams(url.replace(/^[^?]*\??/, "&"));
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalidInput(refuse(name, "is unknown").issues);
    if (query.getAll(name).length > 1) throw invalidInput(refuse(name, "must not be repeated").issues);
  }
  return query;
}

/** The query of a list, as a framework has parsed it. */
export const PageQuery: StandardSchemaV1<{ limit?: string; cursor?: string }, Page> & DecidesNames = {
  decidesNames: true,
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => validatePage(query as Record<string, unknown>),
  },
};

/** The parameters of a path that ends with an id. Any text is one: what no item has is not found. */
export const IdParams = accept<{ id: string }>();

/** The headers that `readCreation` reads. The form of a key is checked together with the headers of the body. */
export type CreationHeaders = { "idempotency-key"?: string };
export const CreationHeaders = accept<CreationHeaders>();

/** The headers that `readConditions` reads, and checks. */
export type ConditionHeaders = { "if-match"?: string; "if-none-match"?: string };
export const ConditionHeaders = accept<ConditionHeaders>();

/** The same for a change, which is refused without `If-Match`. */
export type ChangeHeaders = ConditionHeaders & { "if-match": string };
export const ChangeHeaders = accept<ChangeHeaders>();

/** A schema that tells a framework, and its typed clients, what may be sent. */
function accept<T extends object>(): StandardSchemaV1<T> {
  return { "~standard": { version: 1, vendor: "accept", validate: (value) => ({ value: value as T }) } };
}
