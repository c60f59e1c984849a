import * as v from "valibot";
import { type Field, field } from "./field.ts";

/** A list of values of another field. */
export function list<S extends v.GenericSchema>(element: Field<S>) {
  const schema = v.array(element.schema, `must be a list of ${element.plural}`);
  return field(schema, { column: "json", plural: "lists" });
}
