import * as v from "valibot";
import { text } from "./text.ts";

/** What a client sends: these fields and no others. */
export const NewItem = v.object(
  {
    name: v.pipe(
      text,
      v.minLength(1, "must have at least 1 character"),
      v.maxLength(200, "must have at most 200 characters"),
    ),
  },
  "is required",
);

export type NewItem = v.InferOutput<typeof NewItem>;

/** The column that keeps each field, in SQL that both databases understand. */
export const columns: Record<keyof NewItem, string> = {
  name: "text NOT NULL",
};

export const example: NewItem = { name: "First item" };
