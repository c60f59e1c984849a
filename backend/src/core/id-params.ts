import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The parameters of a path that ends with an id. Any text is one: what no item has is not found. */
export const IdParams: StandardSchemaV1<{ id: string }> = {
  "~standard": { version: 1, vendor: "id", validate: (params) => ({ value: params as { id: string } }) },
};
