import type { Schema } from "./example.ts";

/** The member of a field's schema that marks it as unique. */
export const uniqueMember = "x-unique";

export function markUnique({ properties = {} }: Schema, unique: string[] = []): void {
  for (const field of unique) Object.assign(properties[field] ?? {}, { [uniqueMember]: true });
}

/** The status for a taken value, if the resource has unique fields. */
export function conflictOf({ jsonSchema: { properties = {} } }: { jsonSchema: Schema }): number[] {
  return Object.values(properties).some((field) => uniqueMember in field) ? [409] : [];
}
