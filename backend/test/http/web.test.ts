import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readBody, readJson, toNodeRequest } from "../../src/core/http/request.ts";

describe("a web request, for an app that is called without a server,", () => {
  const headers = { "Content-Type": "application/json" };
  const newRequest = () => new Request("http://localhost/items?limit=2", { method: "POST", headers, body: '{"a":1}' });

  test("has the members of Node's", () => {
    const { method, url, headers } = toNodeRequest(newRequest());
    assert.deepEqual([method, url, headers["content-type"]], ["POST", "/items?limit=2", "application/json"]);
  });

  test("can be read several times, and then by the framework's own readers", async () => {
    const request = newRequest();
    const req = toNodeRequest(request);
    assert.deepEqual(await readJson(req), { a: 1 });
    assert.equal((await readBody(req)).toString(), '{"a":1}');
    assert.equal(await request.text(), '{"a":1}');
  });
});
