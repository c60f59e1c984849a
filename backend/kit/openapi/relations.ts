import type { Schema } from "./example.ts";

/** The member of a field's schema that names the resource it refers to. */
export const referenceMember = "x-references";

export function markReferences({ properties = {} }: Schema, references: Record<string, string | undefined> = {}): void {
  for (const [field, to] of Object.entries(references))
    Object.assign(properties[field] ?? {}, { [referenceMember]: to });
}
