import * as v from "valibot";
import { field } from "./field.ts";

/** One of these texts. */
export function choice<const Value extends string>(...values: Value[]) {
  return field(v.picklist(values, `must be one of ${values.join(", ")}`), { column: "text" });
}
