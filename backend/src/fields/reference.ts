import * as v from "valibot";
import { isId } from "../input.ts";

/** The id of something else, as it was answered. Whether there is such a thing is for the store to say. */
export const reference = v.pipe(
  v.string("must be a string"),
  v.check(isId, "must be an id, as it was answered"),
  v.metadata({ format: "uuid" }),
);
