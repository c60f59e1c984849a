import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
import type { References } from "./store/relations/relations.ts";
import type { UniqueFields } from "./store/unique/unique.ts";

/** A resource is stored in a table of its name, with a column for each field. */
export interface Resource<T extends object = Record<string, unknown>> {
  name: string;
  /** The name of one of them in `openapi.json`. */
  title: string;
  schema: StandardSchemaV1<unknown, T>;
  /** The schema for `openapi.json`, if it cannot be derived from `schema`. */
  jsonSchema?: Record<string, unknown>;
  columns: Record<keyof T & string, string>;
  /** Fields of which no two may have the same value. */
  unique?: UniqueFields<T>;
  /** The resource whose ids a field holds. That resource must be mounted first. */
  references?: References<T>;
}

type Sent<E extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<E, string>>;

/** A schema for an object with these fields and no others. Every fault is reported, not just the first. */
export function exactly<E extends v.ObjectEntries>(entries: E): StandardSchemaV1<unknown, Sent<E>> & { entries: E } {
  const object = v.object(entries, "is required");
  const validate = (value: unknown): StandardSchemaV1.Result<Sent<E>> => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { issues: [{ message: "must be an object" }] };
    // Without a prototype, a field that was not sent is missing even if it is named like a member of `Object`.
    const own = { __proto__: null, ...value };
    const { success, output, issues = [] } = v.safeParse(object, own, { abortPipeEarly: true });
    const wrong = issues.map(({ path = [], message }) => ({ path: path.map(({ key }) => key as string), message }));
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(entries, name));
    if (success && unknown.length === 0) return { value: Object.assign(Object.create(null), output) };
    return { issues: [...wrong, ...unknown.map((name) => ({ path: [name], message: "is not a known field" }))] };
  };
  return { entries, "~standard": { version: 1, vendor: "valibot", validate } };
}
