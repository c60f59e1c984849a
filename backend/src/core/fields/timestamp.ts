import * as v from "valibot";
import { isDate } from "./date.ts";
import { field } from "./field.ts";

/** A date and time in the format of RFC 3339, stored as it was sent. */
export function timestamp() {
  const schema = v.pipe(
    v.string("must be a string"),
    // Nanoseconds and an offset. PostgreSQL does not index long values.
    v.maxLength(35, "must have at most 35 characters"),
    v.check(isTimestamp, "must be a date and time as in RFC 3339, like 2026-01-31T12:00:00Z"),
    v.metadata({ format: "date-time" }),
  );
  return field(schema, { column: "text", plural: "dates and times" });
}

const pattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

function isTimestamp(value: string): boolean {
  const [, date = ""] = pattern.exec(value) ?? [];
  return isDate(date);
}
