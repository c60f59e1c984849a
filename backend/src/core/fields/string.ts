import * as v from "valibot";
import { field } from "./field.ts";

/** Text of `min` to `max` characters, counted as JavaScript's `length`. */
export function string({ min = 0, max = Infinity }: { min?: number; max?: number } = {}) {
  const schema: v.GenericSchema<string> = v.pipe(
    v.string("must be a string"),
    v.check(isStorable, "must not contain U+0000 or a lone surrogate"),
    ...(min > 0 ? [v.minLength<string, number, string>(min, atLeast(min))] : []),
    ...(max < Infinity ? [v.maxLength<string, number, string>(max, `must have at most ${characters(max)}`)] : []),
  );
  return field(schema, { column: "text", plural: "strings" });
}

/** Whether every database stores a text unchanged. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

const atLeast = (min: number) => (min === 1 ? "must not be empty" : `must have at least ${characters(min)}`);
const characters = (count: number) => (count === 1 ? "1 character" : `${count} characters`);
