import * as v from "valibot";

/** The id of something else, as it was answered. Whether there is such a thing is for the store to say. */
export const reference = v.pipe(
  v.string("must be a string"),
  v.check((value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value), "must be an id, as it was answered"),
  v.metadata({ format: "uuid" }),
);
