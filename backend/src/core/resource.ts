import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
import type { Column, Field } from "./fields/field.ts";
import { findReferences, type References } from "./fields/ref.ts";
import { findUnique, type UniqueFields } from "./fields/unique.ts";
import { maxErrors } from "./problem.ts";

/** A resource is stored in a table of its name, with a column for each field. */
export interface Resource<T extends object = Record<string, unknown>, Input = unknown> {
  name: string;
  /** The name of one of them in `openapi.json`. */
  title: string;
  schema: StandardSchemaV1<Input, T>;
  /** The schema for `openapi.json`, if it cannot be derived from `schema`. */
  jsonSchema?: Record<string, unknown>;
  /** As SQL texts, they are deprecated. */
  columns: Record<keyof T & string, Column | string>;
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

/** One page of a list as it is returned. */
export interface StoredPage<T> {
  items: Stored<T>[];
  nextCursor: string | null;
}

type Sent<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, string>>;
type Given<E extends v.ObjectEntries> = v.InferInput<v.ObjectSchema<E, string>>;
type Exactly<E extends v.ObjectEntries> = StandardSchemaV1<Given<E>, Sent<E>>;

/** A schema for an object with these fields and no others. Every fault is reported, up to one more than are listed. */
export function exactly<E extends v.ObjectEntries>(entries: E): Exactly<E> & { entries: E } {
  const object = v.object(entries, "is required");
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
  return { entries, "~standard": { version: 1, vendor: "valibot", validate } };
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
