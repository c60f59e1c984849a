import * as v from "valibot";
import { field } from "./field.ts";

/** A whole number from `min` to `max`. */
export function integer({ min = -Infinity, max = Infinity }: { min?: number; max?: number } = {}) {
  const schema: v.GenericSchema<number> = v.pipe(
    v.number("must be a number"),
    v.safeInteger("must be a whole number"),
    ...(min > -Infinity ? [v.minValue<number, number, string>(min, `must be at least ${min}`)] : []),
    ...(max < Infinity ? [v.maxValue<number, number, string>(max, `must be at most ${max}`)] : []),
  );
  return field(schema, { column: "integer", plural: "whole numbers" });
}
