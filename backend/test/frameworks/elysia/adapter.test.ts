import assert from "node:assert/strict";
import { test } from "node:test";
import { Elysia, status } from "elysia";
import { node } from "../../../src/core/frameworks/elysia/connect.ts";

test("status() may answer without a body, in a handler, in a hook, and thrown", async () => {
  const app = new Elysia({ adapter: node() })
    .get("/no-content", () => status(204))
    .get("/header", ({ set }) => {
      set.headers["x-one"] = "yes";
      return status(304);
    })
    .get("/named", ({ set }) => {
      set.status = "No Content";
    })
    .get("/hook", () => ({}), { beforeHandle: () => status(304) })
    .get("/thrown", () => {
      throw status(304);
    });
  for (const [path, expected] of [
    ["/no-content", 204],
    ["/header", 304],
    ["/named", 204],
    ["/hook", 304],
    ["/thrown", 304],
  ] as const) {
    const response = await app.handle(new Request(`http://localhost${path}`));
    assert.deepEqual([response.status, response.body], [expected, null], path);
    assert.equal(response.headers.get("x-one"), path === "/header" ? "yes" : null);
  }
});
