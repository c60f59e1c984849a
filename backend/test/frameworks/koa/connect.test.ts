import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { bodyParser } from "@koa/bodyparser";
import Router from "@koa/router";
import Koa from "koa";
import compose from "koa-compose";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { ask } from "../../../kit/test/ask.ts";
import { jsonBody, toListener } from "../../../src/core/frameworks/koa/connect.ts";
import { createApp } from "../../../src/frameworks/koa/app.ts";
import { routes } from "../../../src/frameworks/koa/routes.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

const json = { sid: "SM1" };

test("a route of the owner below /webhooks gets its JSON", async () => {
  const app = await openApp(createApp);
  app.use(addTwilio(new Router()).routes());
  const url = await serve(app);
  assert.deepEqual(await ask(url, "POST", "/webhooks/twilio", json), { status: 200, body: json });
});

test("a route beside those of webhooks, in the same router, is not public", async () => {
  const app = await openApp((parts) => {
    const app = new Koa();
    app.use(jsonBody);
    app.use(addTwilio(routes(parts)).routes());
    return app;
  });
  const url = await serve(app);
  assert.equal((await fetch(`${url}/webhooks/twilio`, { method: "POST" })).status, 401);
  assert.deepEqual(await ask(url, "POST", "/webhooks/twilio", json), { status: 200, body: json });
});

function addTwilio(router: Router): Router {
  return router.post("/webhooks/twilio", (ctx) => {
    ctx.body = ctx.request.body;
  });
}

/** Starts the server around an app. */
async function serve(app: Koa): Promise<string> {
  const server = createTestServer(toListener(app));
  after(() => server.drain());
  return `http://127.0.0.1:${await server.listen()}`;
}

test("apps that are mounted, and what is composed, read JSON by their own parsers", async () => {
  const echo: Koa.Middleware = (ctx) => {
    ctx.body = { got: ctx.request.body };
  };
  const app = await openApp(createApp);
  app.use(compose([bodyParser(), echo]));
  const url = await serve(app);
  assert.deepEqual(await ask(url, "POST", "/mounted", json), { status: 200, body: { got: json } });
});

test("JSON has its text in rawBody, as with Koa's body parsers, which keep that of other bodies", async () => {
  const app = await openApp(createApp);
  const router = new Router();
  router.post("/raw", bodyParser(), (ctx) => {
    ctx.body = { raw: ctx.request.rawBody };
  });
  app.use(router.routes());
  const url = await serve(app);
  const send = async (type: string, body: string) => {
    const headers = { ...credentials, "Content-Type": type };
    return (await fetch(`${url}/raw`, { method: "POST", headers, body })).json();
  };
  assert.deepEqual(await send("application/json", '{ "sid":"SM1"}'), { raw: '{ "sid":"SM1"}' });
  assert.deepEqual(await send("application/x-www-form-urlencoded", "sid=SM1"), { raw: "sid=SM1" });
  const headers = { ...credentials, "Content-Type": "application/x-www-form-urlencoded", "Content-Encoding": "gzip" };
  const compressed = await fetch(`${url}/raw`, { method: "POST", headers, body: gzipSync("sid=SM1") });
  assert.deepEqual(await compressed.json(), { raw: "sid=SM1" });
});

test("a path that was rewritten reaches the route with its body", async () => {
  const app = await openApp(createApp);
  app.middleware.unshift((ctx, next) => {
    ctx.path = ctx.path.replace("/v1/", "/");
    return next();
  });
  const url = await serve(app);
  assert.equal((await ask(url, "POST", "/v1/items", { name: "Boat" })).status, 201);
});

test("an own way to answer errors gets those of the owner, and not those of items", async () => {
  const app = await openApp(createApp);
  app.context.onerror = function (error: Error | null) {
    // Koa also calls it at the end of every answer.
    if (!error) return;
    this.status = 418;
    this.res.setHeader("Content-Type", "application/json");
    this.res.end(JSON.stringify({ reason: error.message }));
  };
  app.use(() => {
    throw new Error("ours");
  });
  const url = await serve(app);
  const lines = await logLines(async () => {
    const { status, body } = await ask(url, "GET", "/own");
    assert.deepEqual([status, body.reason, body.code], [418, "ours", "im_a_teapot"]);
    assert.equal((await ask(url, "POST", "/items", {})).body.code, "invalid_item");
  });
  assert.equal(lines.filter(({ error }) => (error as Error | undefined)?.message === "ours").length, 1);
});

test("an app with types of its own is served", () => {
  const app = new Koa<{ user: string }, { service: { find(): string } }>();
  assert.deepEqual(toListener(app).routes, []);
});
