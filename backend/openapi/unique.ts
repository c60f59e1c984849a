import type { Schema } from "./example.ts";

/** The member of a field's schema that says that no two may have the same value. */
export const uniqueMember = "x-unique";

export function markUnique({ properties = {} }: Schema, unique: string[] = []): void {
  for (const field of unique) Object.assign(properties[field] ?? {}, { [uniqueMember]: true });
}

/** The status where a value is taken, for what has unique fields. */
export function conflictOf({ jsonSchema: { properties = {} } }: { jsonSchema: Schema }): number[] {
  return Object.values(properties).some((field) => uniqueMember in field) ? [409] : [];
}
