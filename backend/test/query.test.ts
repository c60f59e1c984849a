import assert from "node:assert/strict";
import { test } from "node:test";
import { PageQuery, readPage } from "../src/core/resource.ts";

const { validate } = PageQuery["~standard"];
const id = "01a1dfb5-23f9-7600-89d4-567e85082e7a";

test("the query of a list is a page", () => {
  for (const [query, page] of [
    [{}, { limit: 20, cursor: undefined }],
    [{ limit: "5" }, { limit: 5, cursor: undefined }],
    [
      { limit: "100", cursor: id },
      { limit: 100, cursor: id },
    ],
    // As it was validated once before.
    [
      { limit: 5, cursor: undefined },
      { limit: 5, cursor: undefined },
    ],
  ])
    assert.deepEqual(validate(query), { value: page });
});

test("a wrong query has an issue that names its parameter, and nothing is thrown", () => {
  const unprintable = Object.create(null);
  for (const [query, parameter, message] of [
    [{ limit: "0" }, "limit", "must be a whole number from 1 to 100"],
    [{ limit: unprintable }, "limit", "must be a whole number from 1 to 100"],
    [{ limit: ["1", "2"] }, "limit", "must not be repeated"],
    [{ cursor: "x" }, "cursor", "must be the nextCursor of an earlier page"],
    [{ limit: "0", offset: "1" }, "offset", "is unknown"],
    [JSON.parse('{"__proto__":"1"}'), "__proto__", "is unknown"],
  ])
    assert.deepEqual(validate(query), { issues: [{ code: "invalid_query", path: [parameter], message }] });
});

test("the query in a URL is refused with the same words", () => {
  for (const [url, detail] of [
    ["/items?limit=0", 'The query parameter "limit" must be a whole number from 1 to 100.'],
    ["/items?limit=1&limit=2", 'The query parameter "limit" must not be repeated.'],
    ["/items?limit=0&offset=1", 'The query parameter "offset" is unknown.'],
    ["/items??limit=1", 'The query parameter "?limit" is unknown.'],
  ] as const)
    assert.throws(() => readPage({ url }), { code: "invalid_query", message: detail });
});
