import * as v from "valibot";
import { field } from "./field.ts";

/** True or false. */
export function boolean() {
  return field(v.boolean("must be true or false"), { column: "boolean", plural: "true and false" });
}
