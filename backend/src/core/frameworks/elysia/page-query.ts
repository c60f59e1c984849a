import type { StandardSchemaV1 } from "@standard-schema/spec";
import { readPage } from "../../input.ts";

/** The query of a list, for the options of its route. A typed client has the type of its output. */
export const PageQuery: StandardSchemaV1<unknown, { limit?: number; cursor?: string | undefined }> = {
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => ({ value: readPage({ url: toUrl(query as object) }) }),
  },
};

/**
 * Elysia reads a list in `1,2`, `[5]` and a repeated parameter, and an object in `{}`. Neither is a limit or a cursor,
 * also if it would be one as text.
 */
function toUrl(query: object): string {
  const parameters = Object.entries(query).map(([name, value]) => [name, typeof value === "string" ? value : "[]"]);
  return parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : "";
}
