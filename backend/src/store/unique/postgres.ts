import { addConstraint } from "../constraint.ts";
import type { WithUnique } from "./unique.ts";

/** Adds a constraint to each unique field that has none yet. */
export function uniqueConstraints({ name, unique = [] }: WithUnique): string {
  return unique.map((field) => addConstraint(name, field, "u", `UNIQUE ("${field}")`)).join("\n");
}
