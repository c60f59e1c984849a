import type * as v from "valibot";
import type { Field } from "./field.ts";

/** A field of which no two items may have the same value: the second one gets 409 `conflict`. */
export function unique<S extends v.GenericSchema>(field: Field<S>): Field<S> {
  return { ...field, isUnique: true } as Field<S>;
}

/** Fields of which no two items may have the same value. */
export type UniqueFields<T> = (keyof T & string)[];

export function findUnique(fields: Record<string, Field>): string[] {
  return Object.keys(fields).filter((name) => "isUnique" in (fields[name] ?? {}));
}
