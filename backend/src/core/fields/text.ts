import * as v from "valibot";

/** Text that every database stores unchanged. */
export const text = v.pipe(
  v.string("must be a string"),
  v.check((value) => value.isWellFormed() && !value.includes("\0"), "must not contain U+0000 or a lone surrogate"),
);
