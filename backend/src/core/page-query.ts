import { stringify } from "node:querystring";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type Page, readPage } from "./input.ts";

/** The query of a list, as a framework has parsed it. */
export const PageQuery: StandardSchemaV1<{ limit?: string; cursor?: string }, Page> = {
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => ({ value: readPage({ url: `?${stringify(withoutUndefined(query as object))}` }) }),
  },
};

/** A page may be validated again, like any value: a global pipe of the owner may use the schema, too. */
const withoutUndefined = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
