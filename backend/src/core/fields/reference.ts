import * as v from "valibot";
import { isId } from "../input.ts";

/** An id, as the API returned it. The store checks whether it exists. */
export const reference = v.pipe(
  v.string("must be a string"),
  v.check(isId, "must be an id, as the API returned it"),
  v.metadata({ format: "uuid", pattern: "^[0-9a-f-]+$" }),
);
