import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Elysia } from "elysia";
import { validatePage } from "../../resource.ts";

/** A typed client has the type of its output. */
const PageQuery: StandardSchemaV1<unknown, { limit?: number; cursor?: string | undefined }> = {
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => validatePage(textsIn(query as Record<string, unknown>)),
  },
};

/** Gives handlers the page that a list is asked for: `app.use(page).get("/", …, { page: true })`. */
export const page = new Elysia({ name: "page" }).macro("page", {
  query: PageQuery,
  resolve: ({ query: { limit = 20, cursor } }) => ({ page: { limit, cursor } }),
});

/**
 * Elysia reads a list in `1,2`, `[5]` and a repeated parameter, and an object in `{}`. Neither is a limit or a cursor,
 * also if it would be one as text.
 */
function textsIn(query: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(query);
  if (names.every((name) => typeof query[name] === "string")) return query;
  return Object.fromEntries(names.map((name) => [name, typeof query[name] === "string" ? query[name] : ""]));
}
