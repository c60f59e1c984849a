import * as v from "valibot";
import { field } from "./field.ts";

/** A calendar date like 2026-01-31, stored as it was sent. */
export function date() {
  const schema = v.pipe(
    v.string("must be a string"),
    v.check(isDate, "must be a date, like 2026-01-31"),
    v.metadata({ format: "date" }),
  );
  return field(schema, { column: "text", plural: "dates" });
}

/** The pattern accepts the 31st of every month, which `Date` reads as the first of the next. */
export function isDate(value: string): boolean {
  const midnight = new Date(`${value}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(value) &&
    !Number.isNaN(midnight.valueOf()) &&
    midnight.toISOString().startsWith(`${value}T`)
  );
}
