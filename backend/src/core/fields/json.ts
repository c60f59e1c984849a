import * as v from "valibot";
import { field } from "./field.ts";
import { isStorable } from "./string.ts";

const maxDepth = 100;

/** Any JSON value that every database stores unchanged. */
export function json() {
  const schema = v.pipe(
    v.unknown(),
    v.check(
      (value) => isEach(value, (one, depth) => depth < maxDepth || one !== Object(one)),
      `must be nested at most ${maxDepth} deep`,
    ),
    v.check(
      (value) => isEach(value, (one) => typeof one !== "string" || isStorable(one)),
      "must not contain U+0000 or a lone surrogate",
    ),
    // JSON.parse has rounded these, or made them infinite.
    v.check(
      (value) => isEach(value, (one) => !(Number.isInteger(one) || isInfinite(one)) || Number.isSafeInteger(one)),
      "must not contain whole numbers beyond 9007199254740991; send them as text",
    ),
    v.metadata({
      type: ["object", "array", "string", "number", "boolean", "null"],
      examples: [{ key: "value" }],
    }),
  );
  return field(schema, { column: "json", plural: "JSON values" });
}

const isInfinite = (value: unknown) => value === Infinity || value === -Infinity;

/** Whether a condition holds for a value and everything in it, names of members included. */
function isEach(value: unknown, holds: (value: unknown, depth: number) => boolean, depth = 0): boolean {
  if (!holds(value, depth)) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => holds(name, depth) && isEach(member, holds, depth + 1));
}
