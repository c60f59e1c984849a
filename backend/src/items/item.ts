// The fields of items, one line each: schema, columns, types and openapi.json follow from them.

import { string } from "../core/fields/string.ts";
import { type Fields, resource } from "../core/resource.ts";

export const items = resource("items", "Item", {
  name: string({ min: 1, max: 200 }),
});

/** What a client sends. */
export const NewItem = items.schema;
export type NewItem = Fields<typeof items>;
