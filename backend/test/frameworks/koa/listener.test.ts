import "../../../src/core/frameworks/koa/adopt.ts";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import Router from "@koa/router";
import { readConfig } from "../../../src/config.ts";
import { toListener } from "../../../src/core/frameworks/koa/listener.ts";
import { createHttpServer } from "../../../src/core/http/server.ts";
import { createApp } from "../../../src/frameworks/koa/app.ts";
import { apiTokens } from "../../conformance/auth/tokens.ts";
import { corsOrigins } from "../../conformance/cors/origins.ts";
import { webhookSecrets } from "../../conformance/webhooks/senders.ts";
import { openApp } from "../../support/app.ts";
import { ask } from "../../support/ask.ts";

test("a route of the owner below /webhooks gets its JSON", async () => {
  const app = await openApp(createApp);
  const router = new Router();
  router.post("/webhooks/twilio", (ctx) => {
    ctx.body = ctx.request.body;
  });
  app.use(router.routes());
  const config = readConfig({ PORT: "0", ...apiTokens, ...corsOrigins, ...webhookSecrets });
  const server = createHttpServer(toListener(app), config);
  after(() => server.drain());
  const url = `http://127.0.0.1:${await server.listen()}`;
  const json = { sid: "SM1" };
  assert.deepEqual(await ask(url, "POST", "/webhooks/twilio", json), { status: 200, body: json });
});
