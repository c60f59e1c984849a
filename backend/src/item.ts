import * as v from "valibot";
import { text } from "./fields/text.ts";

/** What a client sends: these fields and no others. */
export const NewItem = v.object(
  {
    name: v.pipe(text, v.minLength(1, "must not be empty"), v.maxLength(200, "must have at most 200 characters")),
  },
  "is required",
);

export type NewItem = v.InferOutput<typeof NewItem>;

/** The column that keeps each field. */
export const columns: Record<keyof NewItem, string> = {
  name: "text NOT NULL",
};
