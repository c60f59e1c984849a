import * as v from "valibot";

/** Text that every database keeps as it is. */
export const text = v.pipe(
  v.string("must be a string"),
  v.check((value) => value.isWellFormed() && !value.includes("\0"), "must not contain U+0000 or a lone surrogate"),
);
