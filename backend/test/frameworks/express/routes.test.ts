import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { type Express, Router } from "express";
import { openApp, serve } from "../../../kit/test/app.ts";
import { ask } from "../../../kit/test/ask.ts";
import { isPublic } from "../../../src/core/frameworks/express/public.ts";
import { createApp } from "../../../src/frameworks/express/app.ts";

test("paths are exact in the app itself, without the server around it", async () => {
  const app = await openApp(createApp);
  // Beside an app that is served, in the same process.
  await serve();
  const url = await listen(app);
  assert.equal((await ask(url, "GET", "/items")).status, 200);
  for (const [method, path] of [
    ["GET", "/HEALTH"],
    ["GET", "/ITEMS"],
    ["PUT", "/ITEMS/x"],
    ["PUT", "/items/x/"],
    ["POST", "/WEBHOOKS/github"],
    ["POST", "/webhooks/GITHUB"],
  ] as const)
    assert.equal((await ask(url, method, path, method === "GET" ? undefined : {})).status, 404, `${method} ${path}`);
});

test("a public route has the types of its parameters", async () => {
  const router = Router();
  router.get("/hello/:name", isPublic, ({ params: { name } }, res) => void res.json({ name: name satisfies string }));
  const app = await openApp(createApp);
  app.use(router);
  assert.deepEqual(await ask(await listen(app), "GET", "/hello/dory"), { status: 200, body: { name: "dory" } });
});

async function listen(app: Express): Promise<string> {
  const server = app.listen(0);
  await once(server, "listening");
  after(() => server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
