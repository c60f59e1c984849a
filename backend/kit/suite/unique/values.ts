import type { FieldSchema } from "../schema.ts";

export function isUnique(field: object): boolean {
  return "x-unique" in field;
}

/** Each run starts at another number, so that values of earlier runs are not repeated. */
let count = Math.floor(Math.random() * 1e12);

/** Values for the unique fields whose random values might repeat. */
export function uniqueValues(properties: Record<string, FieldSchema>): Record<string, unknown> {
  const own = Object.entries(properties).filter(([, field]) => isUnique(field));
  return Object.fromEntries(
    own.map(([name, field]) => [name, uniqueValue(field)] as const).filter(([, value]) => value !== undefined),
  );
}

/** Undefined if random values do not repeat. */
export function uniqueValue({
  type,
  format,
  minLength = 0,
  maxLength = 12,
  minimum = 0,
  maximum = 1e12,
}: FieldSchema): unknown {
  count += 1;
  const day = 86_400_000;
  if (format === "date") return new Date((count % 1_000_000) * day).toISOString().slice(0, 10);
  if (format !== undefined) return undefined;
  if (type === "integer") return minimum + (count % (maximum - minimum + 1));
  const digits = Math.min(maxLength, 8);
  if (type === "string") return (count % 36 ** digits).toString(36).padStart(Math.max(minLength, digits), "0");
  return undefined;
}
