import { conflict } from "../../src/core/features/unique-fields/unique.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Schema } from "./example.ts";

/** The member of a field's schema that marks it as unique. */
export const uniqueMember = "x-unique";

export function markUnique({ properties = {} }: Schema, unique: string[] = []): void {
  for (const field of unique) Object.assign(properties[field] ?? {}, { [uniqueMember]: true });
}

/** The status for a taken value, if the resource has unique fields. */
export function listConflicts(resource: { jsonSchema: Schema }): number[] {
  return uniqueIn(resource).length > 0 ? [409] : [];
}

/** An example of a taken value, if any of the resources has unique fields. */
export function conflictsIn(resources: { jsonSchema: Schema }[]): Problem[] {
  const [field] = resources.flatMap(uniqueIn);
  return field === undefined ? [] : [conflict([field])];
}

function uniqueIn({ jsonSchema: { properties = {} } }: { jsonSchema: Schema }): string[] {
  return Object.entries(properties).flatMap(([name, field]) => (uniqueMember in field ? [name] : []));
}
