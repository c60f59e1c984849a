import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Elysia } from "elysia";
import { openApp } from "../../../kit/test/app.ts";
import { node } from "../../../src/core/frameworks/elysia/connect.ts";
import { createApp } from "../../../src/frameworks/elysia/app.ts";

const url = "http://localhost/items";

describe("the items in Elysia", async () => {
  const app = await openApp(createApp);
  const headers = { "Content-Type": "application/json" };
  const create = () => new Request(url, { method: "POST", headers, body: '{"name":"one"}' });
  const { id } = (await (await app.handle(create())).json()) as { id: string };

  /** Elysia reads lists and JSON in a query, some of which would be right as text. */
  const refused: [query: string, parameter: string][] = [
    ["limit=[5]", "limit"],
    ["limit=%5B5%5D", "limit"],
    ["limit=[]", "limit"],
    ['limit={"a":1}', "limit"],
    ["limit=1,2", "limit"],
    ["limit=5&limit=5", "limit"],
    [`limit=${"[".repeat(5000)}${"]".repeat(5000)}`, "limit"],
    ["cursor=[]", "cursor"],
    [`cursor=["${id}"]`, "cursor"],
    [`cursor=${id}&cursor=${id}`, "cursor"],
    ["offset=[5]", "offset"],
  ];
  for (const [query, parameter] of refused)
    test(`?${query.slice(0, 60)} is refused`, async () => {
      const response = await app.handle(new Request(`${url}?${query}`));
      const { code, errors } = (await response.json()) as { code: string; errors: { parameter: string }[] };
      assert.deepEqual([response.status, code, errors[0]?.parameter], [400, "invalid_query", parameter]);
    });

  test("a plain limit and cursor are accepted", async () => {
    const response = await app.handle(new Request(`${url}?limit=5&cursor=${id}`));
    assert.deepEqual([response.status, await response.json()], [200, { items: [], nextCursor: null }]);
  });

  test("an owner's hook that puts answers into others finds values, and not their text", async () => {
    const own = new Elysia({ adapter: node() })
      .onAfterHandle(({ responseValue }) => ({ data: responseValue }))
      .use(app);
    const response = await own.handle(new Request(`${url}/${id}`));
    const { data } = (await response.json()) as { data: { id: string; name: string } };
    assert.deepEqual([response.status, data.id, data.name], [200, id, "one"]);
  });

  test("an owner's hook may change a header of a new item, in Elysia's spelling", async () => {
    const own = new Elysia({ adapter: node() })
      .mapResponse(({ set }) => {
        set.headers["location"] = `/v1${set.headers["location"]}`;
      })
      .use(app);
    assert.match((await app.handle(create())).headers.get("location") ?? "", /^\/items\/[\da-f-]+$/);
    assert.match((await own.handle(create())).headers.get("location") ?? "", /^\/v1\/items\/[\da-f-]+$/);
  });
});
