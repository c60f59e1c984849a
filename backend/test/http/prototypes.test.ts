import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import type { Express } from "express";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { ask } from "../../kit/test/ask.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";

// As a package brings one, or an app that is mounted in another framework: nothing connects this Express with the core. It replaces
// the prototypes of requests and responses.

const app: Express = createRequire(import.meta.url)("express")();
app.set("env", "test");
app.get("/found", (req, res) => void res.json({ url: req.originalUrl }));
app.get("/missing", (_req, res) => void res.status(404).type("text").send("Nobody is here."));
app.post("/body", async (req, res) => void res.json({ length: (await text(req)).length }));
app.get("/pending", () => {});

const server = createTestServer({ routes: [], listener: app }, { HANDLER_TIMEOUT_MS: "300", BODY_LIMIT_BYTES: "1000" });
let url = "";

before(async () => {
  logging.level = "silent";
  url = `http://127.0.0.1:${await server.listen()}`;
});
after(() => server.drain());

test("answers have the headers of the server, and failures are problems", async () => {
  for (let round = 0; round < 2; round++) {
    const found = await fetch(`${url}/found`, { headers: { ...credentials } });
    assert.match(found.headers.get("x-request-id") ?? "", /^[\w-]{36}$/);
    assert.deepEqual(await found.json(), { url: "/found" });
    const { status, body } = await ask(url, "GET", "/missing");
    assert.deepEqual([status, body.code, body.detail], [404, "not_found", "Nobody is here."]);
  }
});

test("a body is counted, and a long one refused", async () => {
  const send = (body: string) => fetch(`${url}/body`, { method: "POST", body, headers: { ...credentials } });
  assert.deepEqual(await (await send("x".repeat(999))).json(), { length: 999 });
  assert.equal((await send("x".repeat(1001))).status, 413);
  const chunked = new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < 3; at++) controller.enqueue(Buffer.alloc(500));
      controller.close();
    },
  });
  const init = { method: "POST", body: chunked, duplex: "half", headers: { ...credentials } } as RequestInit;
  assert.equal((await fetch(`${url}/body`, init)).status, 413);
});

test("a handler that takes too long is given up, and so is a client", async () => {
  assert.equal((await fetch(`${url}/pending`, { headers: { ...credentials } })).status, 503);
  const signal = AbortSignal.timeout(100);
  await assert.rejects(fetch(`${url}/pending`, { signal, headers: { ...credentials } }));
  assert.equal((await fetch(`${url}/found`, { headers: { ...credentials } })).status, 200);
});
