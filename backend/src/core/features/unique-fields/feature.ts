import type { Feature } from "../../start.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

/** No two items have the same value in a `unique` field. */
export const uniqueFields: Feature = {
  sqlite,
  postgres,
};
