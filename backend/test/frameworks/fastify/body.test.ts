import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { createGunzip, gzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { nullish, object, string } from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { core } from "../../../src/core/frameworks/fastify/connect.ts";
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

const json = { "content-type": "application/json" };

test("a key that would change a prototype is refused, removed or kept, as the app's options say", async () => {
  const bodies = ['{"__proto__":{"x":7}}', '{"\\u005f_proto__":{"x":7}}', '{"constructor":{"prototype":{"x":7}}}'];
  for (const action of ["error", "remove", "ignore"] as const) {
    const app = Fastify({ onProtoPoisoning: action, onConstructorPoisoning: action });
    await app.register(core);
    app.post("/keys", async (request) => Object.keys(request.body as object).length);
    for (const payload of bodies) {
      const { statusCode, body } = await app.inject({ method: "POST", url: "/keys", headers: json, payload });
      const expected = { error: [400, undefined], remove: [200, 0], ignore: [200, 1] }[action];
      assert.deepEqual(
        [statusCode, statusCode === 200 ? JSON.parse(body) : undefined],
        expected,
        `${action}: ${payload}`,
      );
    }
  }
});

test("a plugin may ask whether JSON is parsed, and bring its own parser", async () => {
  const app = await openApp(createApp);
  assert.equal(app.hasContentTypeParser("application/json"), true);
  assert.equal(app.hasContentTypeParser("application/xml"), false);
  app.register(async (plugin) => {
    plugin.addContentTypeParser("application/json", (_request, _payload, done) => done(null, "own"));
    plugin.post("/own", async (request) => request.body);
  });
  assert.equal((await app.inject({ method: "POST", url: "/own", payload: {} })).body, "own");
});

test("a not-found handler of the owner gets bodies, and without one they are not read", async () => {
  const app = await openApp(createApp);
  app.register(
    async (gateway) => {
      gateway.setNotFoundHandler(async (request) => ({ sent: request.body }));
    },
    { prefix: "/gateway" },
  );
  for (const method of ["POST", "PUT", "DELETE"] as const) {
    const { statusCode, body } = await app.inject({ method, url: "/gateway/x", payload: { a: 1 } });
    assert.deepEqual([statusCode, body], [200, '{"sent":{"a":1}}']);
    const unread = await app.inject({ method, url: "/unknown", headers: json, payload: "{" });
    assert.deepEqual([unread.statusCode, unread.json().code], [404, "not_found"]);
  }
});

test("a Standard Schema decides about text, and about a body that is missing", async () => {
  const app = await openApp(createApp);
  app.post("/text", { schema: { body: string() } }, async (request) => request.body);
  app.post("/optional", { schema: { body: nullish(object({ a: string() })) } }, async () => "reached");
  const headers = { "content-type": "text/plain" };
  const { statusCode, body } = await app.inject({ method: "POST", url: "/text", headers, payload: "hello" });
  assert.deepEqual([statusCode, body], [200, "hello"]);
  assert.equal((await app.inject({ method: "POST", url: "/optional" })).body, "reached");
  assert.equal((await app.inject({ method: "POST", url: "/items" })).statusCode, 415);
});

test("a preParsing hook may pass on text, and a stream that fails is the client's fault, as on plain Fastify", async () => {
  for (const app of [await openApp(createApp), Fastify()] as FastifyInstance[]) {
    const pass = async (_request: unknown, _reply: unknown, payload: AsyncIterable<Buffer>) => {
      const text = (await Array.fromAsync(payload)).join("");
      return Object.assign(Readable.from([text]), { receivedEncodedLength: Buffer.byteLength(text) });
    };
    app.post("/text", { preParsing: pass }, async (request) => request.body);
    const gunzip = async (_request: unknown, _reply: unknown, payload: Readable) => payload.pipe(createGunzip());
    app.post("/gunzip", { preParsing: gunzip }, async (request) => request.body);
    const send = (url: string, payload: string, encoding = {}) =>
      app.inject({ method: "POST", url, payload, headers: { ...json, ...encoding } });
    assert.deepEqual((await send("/text", '{"name":"é"}')).json(), { name: "é" });
    assert.equal((await send("/gunzip", "junk", { "content-encoding": "gzip" })).statusCode, 400);
  }
});
