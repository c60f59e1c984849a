import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Hono } from "hono";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { sendProblem, toListener } from "../../../src/core/frameworks/hono/connect.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

test("what is thrown is logged once, also what Hono gives no onError", async () => {
  const app = new Hono().onError((error, c) => {
    if (error.message === "twice") throw error;
    return sendProblem(error, c);
  });
  app.get("/thrown", () => {
    throw new Error("thrown");
  });
  app.get("/text", () => {
    throw "text";
  });
  app.get("/later", async () => {
    await null;
    throw "later";
  });
  app.get("/twice", () => {
    throw new Error("twice");
  });
  const server = createTestServer(toListener(app));
  const url = `http://127.0.0.1:${await server.listen()}`;
  after(() => server.drain());
  const lines = await logLines(async () => {
    for (const path of ["/thrown", "/text", "/later", "/twice"]) {
      const response = await fetch(url + path, { headers: { ...credentials } });
      assert.deepEqual([response.status, response.headers.get("content-type")], [500, "application/problem+json"]);
      assert.equal(((await response.json()) as { code: string }).code, "internal_error");
    }
  });
  assert.deepEqual(
    lines.filter((line) => "error" in line).map(({ error }) => (error as Error | undefined)?.message ?? error),
    ["thrown", "text", "later", "twice"],
  );
});
