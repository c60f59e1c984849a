import * as v from "valibot";
import { field } from "./field.ts";

/** A UUID of any version, stored as it was sent. */
export function uuid() {
  const schema = v.pipe(v.string("must be a string"), v.uuid("must be a UUID"));
  return field(schema, { column: "text", plural: "UUIDs" });
}
