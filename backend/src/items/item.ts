import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
import { text } from "../core/fields/text.ts";
import { exactly, type Resource } from "../core/resource.ts";

/** What a client sends: these fields and no others. */
export const NewItem = exactly({
  name: v.pipe(text, v.minLength(1, "must not be empty"), v.maxLength(200, "must have at most 200 characters")),
});

export type NewItem = StandardSchemaV1.InferOutput<typeof NewItem>;

/** Where items are kept: a column for each field. */
export const items: Resource<NewItem> = {
  name: "items",
  title: "Item",
  schema: NewItem,
  columns: {
    name: "text NOT NULL",
  },
};
