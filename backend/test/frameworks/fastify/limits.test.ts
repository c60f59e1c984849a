import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { core, isolated, toListener } from "../../../src/core/frameworks/fastify/connect.ts";
import { AppServer } from "../../../src/core/http/server.ts";
import { createTestServer } from "../../support/server.ts";

async function serveApp(options: FastifyServerOptions, add: (app: FastifyInstance) => void): Promise<string> {
  const server = new AppServer();
  const app = Fastify({ bodyLimit: 102_400, serverFactory: () => server, ...options });
  await app.register(core);
  add(app);
  const running = createTestServer(await toListener(app), { HANDLER_TIMEOUT_MS: "500" }, server);
  after(() => running.drain());
  return `http://127.0.0.1:${await running.listen()}`;
}

test("the limit of a parser is the limit of its routes, but not for JSON, nor where the parser is removed", async () => {
  const url = await serveApp({}, (app) => {
    app.post("/read", async (request) => (request.body as Buffer).length ?? 0);
    app.addContentTypeParser("a/b", { parseAs: "buffer", bodyLimit: 5e6 }, (_request, body, done) => done(null, body));
    app.post("/small", { bodyLimit: 10 }, async () => "read");
    app.register(async (plugin) => {
      plugin.register(isolated);
      plugin.post("/isolated", async () => "read");
    });
  });
  const send = async (path: string, type: string) => {
    const headers = { ...credentials, "content-type": type };
    const response = await fetch(url + path, { method: "POST", headers, body: `"${"x".repeat(2e6)}"` });
    return [response.status, await response.text()];
  };
  assert.deepEqual(await send("/read", "a/b"), [200, "2000002"]);
  for (const [path, type] of [
    ["/read", "application/json"],
    ["/read", "text/plain"],
    ["/small", "a/b"],
    ["/isolated", "application/json"],
  ] as const)
    assert.deepEqual((await send(path, type))[0], 413, `${path} ${type}`);
});

test("the limits of a route are not those of a catch-all route that was added before it", async () => {
  const url = await serveApp({}, (app) => {
    app.all("/*", async () => "none");
    app.post("/names/:name", async () => "small");
    app.post("/names/many", { bodyLimit: 3e6 }, async (request) => (request.body as string).length);
  });
  const headers = { ...credentials, "content-type": "application/json" };
  const response = await fetch(`${url}/names/many`, { method: "POST", headers, body: `"${"x".repeat(2e6)}"` });
  assert.deepEqual([response.status, await response.text()], [200, "2000000"]);
});

test("the limits of the app's options are those of its routes", async () => {
  const url = await serveApp({ bodyLimit: 3e6, handlerTimeout: 5000 }, (app) => {
    app.post("/slow", async (request) => {
      await sleep(1500);
      return (request.body as string).length;
    });
  });
  const headers = { ...credentials, "content-type": "application/json" };
  const response = await fetch(`${url}/slow`, { method: "POST", headers, body: `"${"x".repeat(2e6)}"` });
  assert.deepEqual([response.status, await response.text()], [200, "2000000"]);
});
