import type { Feature } from "../../start.ts";
import { postgres } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

/** What a `ref` field refers to exists. */
export const referenceFields: Feature = {
  sqlite,
  postgres,
};
