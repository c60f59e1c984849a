import assert from "node:assert/strict";
import { after, test } from "node:test";
import Router from "@koa/router";
import Koa from "koa";
import { openApp } from "../../../kit/test/app.ts";
import { ask } from "../../../kit/test/ask.ts";
import { jsonBody, toListener } from "../../../src/core/frameworks/koa/connect.ts";
import { createApp } from "../../../src/frameworks/koa/app.ts";
import { routes } from "../../../src/frameworks/koa/routes.ts";
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
