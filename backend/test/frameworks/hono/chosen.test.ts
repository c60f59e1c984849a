import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Hono } from "hono";
import { ask } from "../../../kit/test/ask.ts";
import { jsonBody, toListener } from "../../../src/core/frameworks/hono/connect.ts";
import { bodyLimit } from "../../../src/core/http/routes.ts";
import { createTestServer } from "../../support/server.ts";

test("a request has the limits of the route that Hono chooses, and of no other", async () => {
  const app = new Hono();
  app.use(jsonBody);
  app.post("/posts/:date{[0-9]+}/:title{[a-z]+}", bodyLimit(10), async (c) => c.json(await c.req.json()));
  app.post("/posts/*", async (c) => c.json(await c.req.json()));
  const server = createTestServer(toListener(app as never));
  after(() => server.drain());
  const url = `http://127.0.0.1:${await server.listen()}`;
  const body = "x".repeat(50);
  assert.equal((await ask(url, "POST", "/posts/1/a", body)).status, 413);
  assert.equal((await ask(url, "POST", "/posts/a/b", body)).status, 200);
});

test("an app may choose by the host, as Hono's documentation shows", async () => {
  const getPath = (req: Request) => `/${req.headers.get("host")?.replace(/:.*/, "")}${new URL(req.url).pathname}`;
  const app = new Hono({ getPath });
  app.get("/127.0.0.1/hello", (c) => c.json({ hello: "host" }));
  const server = createTestServer(toListener(app as never));
  after(() => server.drain());
  const url = `http://127.0.0.1:${await server.listen()}`;
  assert.deepEqual(await ask(url, "GET", "/hello"), { status: 200, body: { hello: "host" } });
});
