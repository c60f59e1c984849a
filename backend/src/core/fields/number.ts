import * as v from "valibot";
import { field } from "./field.ts";

/** A number from `min` to `max`. */
export function number({ min = -Infinity, max = Infinity }: { min?: number; max?: number } = {}) {
  const schema: v.GenericSchema<number> = v.pipe(
    v.number("must be a number"),
    v.finite("must be finite"),
    ...(min > -Infinity ? [v.minValue<number, number, string>(min, `must be at least ${min}`)] : []),
    ...(max < Infinity ? [v.maxValue<number, number, string>(max, `must be at most ${max}`)] : []),
  );
  return field(schema, { column: "number", plural: "numbers" });
}
