import * as v from "valibot";
import { type Field, field, isId } from "./field.ts";

/** The id of an item of another resource, as the API returned it. The store checks whether it exists. */
export function ref(resource: string) {
  const schema = v.pipe(
    v.string("must be a string"),
    v.check(isId, "must be an id, as the API returned it"),
    v.metadata({ format: "uuid", pattern: "^[0-9a-f-]+$" }),
  );
  return { ...field(schema, { column: "id", plural: "ids" }), resource };
}

/** The resource that each reference field refers to. */
export type References<T> = { [Name in keyof T & string]?: string };

/** By field, the resources that fields refer to. */
export function findReferences(fields: Record<string, Field>): Record<string, string> {
  const all = Object.entries(fields as Record<string, { resource?: string }>);
  return Object.fromEntries(all.flatMap(([name, { resource }]) => (resource === undefined ? [] : [[name, resource]])));
}
