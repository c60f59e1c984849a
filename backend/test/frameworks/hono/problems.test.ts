import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { sendProblem, toListener } from "../../../src/core/frameworks/hono/connect.ts";
import { isPublic } from "../../../src/core/frameworks/hono/public.ts";
import { bodyLimit } from "../../../src/core/http/routes.ts";
import { createApp } from "../../../src/frameworks/hono/app.ts";
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

test("the response of an HTTPException is the answer, as on plain Hono", async () => {
  const app = new Hono().onError(sendProblem);
  app.get("/moved", (c) => {
    throw new HTTPException(302, { res: c.redirect("/health") });
  });
  app.get("/refused", (c) => {
    c.header("X-Kept", "yes");
    throw new HTTPException(401, { message: "no", res: c.json({ error: "expired", field: "token" }, 401) });
  });
  app.get("/text", (c) => {
    throw new HTTPException(403, { res: c.text("Ask your admin.") });
  });
  app.get("/message", () => {
    throw new HTTPException(401, { message: "Send a token.", res: new Response("Unauthorized") });
  });
  app.get("/broken", (c) => {
    throw new HTTPException(500, { res: c.json({ error: "inner secret" }) });
  });
  const server = createTestServer(toListener(app));
  const url = `http://127.0.0.1:${await server.listen()}`;
  after(() => server.drain());
  const get = (path: string) => fetch(url + path, { headers: { ...credentials }, redirect: "manual" });

  const moved = await get("/moved");
  assert.deepEqual([moved.status, moved.headers.get("location")], [302, "/health"]);
  const refused = await get("/refused");
  const { code, detail, field } = (await refused.json()) as Record<string, unknown>;
  assert.deepEqual([refused.status, code, detail, field], [401, "unauthorized", "expired", "token"]);
  assert.equal(refused.headers.get("x-kept"), "yes");
  for (const [path, status, said] of [
    ["/text", 403, "Ask your admin."],
    ["/message", 401, "Send a token."],
    ["/broken", 500, "Something went wrong; see the logs for details."],
  ] as const) {
    const response = await get(path);
    const { detail } = (await response.json()) as { detail: string };
    assert.deepEqual([response.status, detail], [status, said]);
  }
});

test("a handler that returns nothing is told so, also behind middleware of the core", async () => {
  const app = await openApp(createApp);
  app.get("/forgotten", bodyLimit(10), isPublic, ((c: Context) => void c.json({})) as never);
  const lines = await logLines(async () => {
    assert.equal((await app.request("/forgotten")).status, 500);
  });
  assert.match(JSON.stringify(lines), /Context is not finalized/);
});
