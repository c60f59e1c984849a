import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type Page, validatePage } from "./input.ts";

/** The query of a list, as a framework has parsed it. */
export const PageQuery: StandardSchemaV1<{ limit?: string; cursor?: string }, Page> = {
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => validatePage(query as Record<string, unknown>),
  },
};
