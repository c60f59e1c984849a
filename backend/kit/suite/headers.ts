import assert from "node:assert/strict";
import { otherMethodsAt, takesAnyMethod } from "./document.ts";
import { validItem } from "./items.ts";
import { Skipped } from "./skipped.ts";
import {
  type Check,
  each,
  exchange,
  expectJson,
  expectNoPlugin,
  expectNotFound,
  expectProblem,
  message,
  post,
  type Subject,
  send,
} from "./suite.ts";
import { type Reply, Wire } from "./wire.ts";

const keptIds = ["a", "0", "A.b_c:d-e", "x".repeat(128), "01a1dfb5-23f9-7600-89d4-567e85082e75"];

const replacedIds = ["", " ", "x".repeat(129), "two words", "a,b", "caf\xe9", "a/b", "a;b", '"a"', "<a>", "\x7f"];

const irrelevantHeaders = [
  { "If-None-Match": "*" },
  { "If-Modified-Since": "Sun, 15 Nov 2037 00:00:00 GMT" },
  { "If-Match": '"x"' },
  { Range: "bytes=0-3" },
  { "Accept-Encoding": "gzip, br, deflate" },
  { Accept: "text/html" },
  { Accept: "image/*;q=0" },
  { "Accept-Language": "de" },
  { Cookie: 'a=b; \x80; =; ;;; __proto__=1; x=%zz; "' },
  { "Proxy-Authorization": "Basic !!!" },
  { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__" },
  { "X-HTTP-Method-Override": "DELETE" },
  { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher", "X-Original-URL": "/admin" },
  { Origin: "https://evil.example" },
  { Referer: "\x80" },
  { Constructor: "1", __proto__x: "1" },
];

const forWebSocket = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Key": "x",
  "Sec-WebSocket-Version": "13",
};

const hosts = [
  "localhost",
  "LOCALHOST:80",
  "a",
  "a.b",
  "127.0.0.1:3000",
  "[::1]:3000",
  "xn--bcher-kva.example",
  "a_b",
  "x-y.z:65535",
];

export const headerChecks: Check[] = [
  {
    name: "a request id that can be logged is kept",
    async run(subject) {
      await each(keptIds, async (id) => {
        for (const path of [subject.path, "/nowhere"]) {
          const reply = await send(subject, { path, headers: { "X-Request-Id": id } });
          assert.equal(reply.headers["x-request-id"], id);
        }
      });
    },
  },
  {
    name: "any other request id is replaced by a new one",
    async run(subject) {
      await each(replacedIds, async (id) => {
        for (const path of [subject.path, "/nowhere"]) {
          const reply = await send(subject, { path, headers: { "X-Request-Id": id } });
          assert.match(reply.headers["x-request-id"] ?? "", /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
        }
      });
      const twice = await send(subject, { headers: { "X-Request-Id": "a", "x-request-id": "b" } });
      assert.match(twice.headers["x-request-id"] ?? "", /^[\da-f-]{36}$/);
    },
  },
  {
    name: "headers that the backend does not use change nothing",
    async run(subject) {
      await each(irrelevantHeaders, async (headers) => {
        expectJson(await send(subject, { headers: headers as Record<string, string> }), 200);
        expectJson(await send(subject, { path: "/health", headers: headers as Record<string, string> }), 200);
      });
    },
  },
  {
    name: "every valid Host is accepted",
    async run(subject) {
      await each(hosts, async (Host) => {
        expectJson(await send(subject, { headers: { Host } }), 200);
      });
    },
  },
  {
    name: "HTTP/1.0 is answered, with or without Host",
    async run(subject) {
      await each([subject.path, "/health"], async (path) => {
        const request = message(subject, { path }).toString("latin1").replace(" HTTP/1.1", " HTTP/1.0");
        expectJson(await exchange(subject, request), 200);
        expectJson(await exchange(subject, request.replace(/^Host: .*\r\n/m, "")), 200);
      });
    },
  },
  {
    name: "a body where none is expected is ignored",
    async run(subject) {
      const body = "x".repeat(1000);
      await each([subject.path, "/health"], async (path) => {
        expectJson(await send(subject, { path, body }), 200);
        expectJson(await send(subject, { path, body, headers: { "Content-Type": "application/json" } }), 200);
      });
      if (takesAnyMethod(subject.document, subject)) return;
      expectProblem(await send(subject, { method: "LOCK", body }), 405, "method_not_allowed");
      if (otherMethodsAt(subject.document, subject).includes("OPTIONS")) return;
      const options = await send(subject, { method: "OPTIONS", body });
      expectNoPlugin(options);
      assert.equal(options.status, 204);
    },
  },
  {
    name: "a connection serves several requests, also after an error, unless one asks to close it",
    async run(subject) {
      let wire = new Wire(subject.url);
      const rounds: [Buffer, number][] = [
        [message(subject, { path: "/health" }), 200],
        [message(subject, { path: "/nowhere/" }), 404],
        [message(subject, { path: `${subject.path}?x=1` }), 400],
        [postMessage(subject, "[]"), 422],
        [postMessage(subject, "{"), 400],
        [message(subject, { method: "POST", body: "x", headers: { "Content-Type": "text/plain" } }), 415],
        [postMessage(subject, "x".repeat(subject.bodyLimitBytes + 1)), 413],
        [message(subject, { path: "/nowhere/", method: "POST", body: "x".repeat(200_000) }), 404],
        [postMessage(subject, JSON.stringify(validItem(subject.item))), 201],
      ];
      if (!takesAnyMethod(subject.document, subject)) rounds.unshift([message(subject, { method: "LOCK" }), 405]);
      await each(rounds, async ([bytes, status]) => {
        const reply = await wire.send(bytes).reply();
        if (reply.headers["connection"] === "close") {
          await wire.closed();
          wire = new Wire(subject.url);
        }
        if (status === 404) expectNotFound(reply, "/nowhere/");
        else assert.equal(reply.status, status);
      });
      wire.end();
    },
  },
  {
    name: "pipelined requests are answered in order",
    async run(subject) {
      const wire = new Wire(subject.url);
      const ids = Array.from({ length: 12 }, (_, n) => `pipelined-${n}`);
      const one = (id: string) =>
        Number(id.slice(10)) % 3 === 0
          ? postMessage(subject, JSON.stringify(validItem(subject.item)), { "X-Request-Id": id })
          : message(subject, { headers: { "X-Request-Id": id } });
      wire.send(Buffer.concat(ids.map(one)));
      for (const id of ids) assert.equal((await wire.reply()).headers["x-request-id"], id);
      wire.end();
    },
  },
  {
    name: "a request for an upgrade is answered, and does not affect the next one",
    async run(subject) {
      for (const path of [subject.path, "/health"])
        expectJson(await offer(new Wire(subject.url), message(subject, { path, headers: forWebSocket })), 200);
      const upgrade = message(subject, { headers: { ...forWebSocket, "X-Request-Id": "upgrade" } });
      const next = message(subject, { headers: { "X-Request-Id": "next" } });
      const wire = new Wire(subject.url);
      const reply = await offer(wire, Buffer.concat([upgrade, next]));
      expectJson(reply, 200);
      if (reply.headers["connection"] === "close") await wire.closed();
      else assert.equal((await wire.reply()).headers["x-request-id"], "next");
      wire.end();
    },
  },
  {
    name: "an answer to Connection: close ends the connection",
    async run(subject) {
      const wire = new Wire(subject.url).send(message(subject, { headers: { Connection: "close" } }));
      assert.equal((await wire.reply()).headers["connection"], "close");
      await wire.closed();
    },
  },
  {
    name: "a created item is listed for every client",
    async run(subject) {
      const { id } = expectJson(await post(subject, validItem(subject.item)), 201);
      assert.ok((await listed(subject)).includes(id));
    },
  },
];

function postMessage(subject: Subject, body: string, headers: Record<string, string> = {}): Buffer {
  return message(subject, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
}

async function listed(subject: Subject): Promise<string> {
  return (await send(subject, {})).body;
}

/** Sends a request for an upgrade. An app with WebSockets may answer it itself, without an id, or not at all. */
async function offer(wire: Wire, bytes: Buffer): Promise<Reply> {
  const reply = await wire
    .send(bytes)
    .reply()
    .catch(() => undefined);
  if (reply?.headers["x-request-id"] === undefined)
    throw new Skipped("The app itself answers requests for an upgrade.");
  return reply;
}
