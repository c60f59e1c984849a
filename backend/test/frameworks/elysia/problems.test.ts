import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Elysia } from "elysia";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { node, toListener } from "../../../src/core/frameworks/elysia/connect.ts";
import type { CoreParts } from "../../../src/core/start.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

test("a text that is thrown is logged as an error is, and the hooks of onError get it as it is", async () => {
  const caught: unknown[] = [];
  const app = new Elysia({ adapter: node() })
    .onError(({ error }) => void caught.push(error))
    .get("/thrown", () => {
      throw new Error("thrown");
    })
    .get("/text", () => {
      throw "text";
    })
    .get("/later", async () => {
      await null;
      throw "later";
    });
  const server = createTestServer(await toListener(app, {} as CoreParts));
  const url = `http://127.0.0.1:${await server.listen()}`;
  after(() => server.drain());
  const lines = await logLines(async () => {
    for (const path of ["/thrown", "/text", "/later"]) {
      const response = await fetch(url + path, { headers: { ...credentials } });
      assert.deepEqual([response.status, response.headers.get("content-type")], [500, "application/problem+json"]);
      assert.equal(((await response.json()) as { code: string }).code, "internal_error");
    }
  });
  assert.deepEqual(caught.slice(1), ["text", "later"]);
  assert.deepEqual(
    lines.filter((line) => "error" in line).map(({ error }) => (error as Error | undefined)?.message),
    ["thrown", "non-error thrown: 'text'", "non-error thrown: 'later'"],
  );
});
