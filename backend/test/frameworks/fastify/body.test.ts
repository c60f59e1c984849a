import assert from "node:assert/strict";
import { test } from "node:test";
import { createGunzip, gzipSync } from "node:zlib";
import { openApp } from "../../../kit/test/app.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";

/** As `@fastify/compress` does. */
async function openDecompressing() {
  const app = await openApp(createApp);
  app.addHook("preParsing", async (request, _reply, payload) =>
    request.headers["content-encoding"] === "gzip" ? payload.pipe(createGunzip()) : payload,
  );
  app.post("/notes", async (request) => request.body);
  return app;
}

const headers = { "content-type": "application/json", "content-encoding": "gzip" };

test("a body is read from the stream that a preParsing hook passes on", async () => {
  const app = await openDecompressing();
  const send = (payload: string) => app.inject({ method: "POST", url: "/notes", headers, payload: gzipSync(payload) });
  assert.deepEqual((await send('{"text":"small"}')).json(), { text: "small" });
  assert.equal((await send('{"text":')).json().code, "malformed_json");
  const large = await send(JSON.stringify({ text: "x".repeat(200_000) }));
  assert.deepEqual([large.statusCode, large.json().code], [413, "body_too_large"]);
});

test("a body that nobody has decoded is refused", async () => {
  const app = await openApp(createApp);
  const { statusCode } = await app.inject({ method: "POST", url: "/items", headers, payload: gzipSync("{}") });
  assert.equal(statusCode, 415);
});
