import * as v from "valibot";
import { field } from "./field.ts";

/** An email address, stored as it was sent. */
export function email() {
  const schema = v.pipe(
    v.string("must be a string"),
    v.rfcEmail("must be an email address"),
    v.maxLength(254, "must have at most 254 characters"),
  );
  return field(schema, { column: "text", plural: "email addresses" });
}
