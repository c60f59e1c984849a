import assert from "node:assert/strict";
import { chunked } from "./creating.ts";
import { takesAnyMethod } from "./document.ts";
import { validItem } from "./items.ts";
import {
  type Check,
  each,
  exchange,
  expectJson,
  expectNotFound,
  expectProblem,
  message,
  postText,
  type Subject,
  send,
} from "./suite.ts";
import { Wire } from "./wire.ts";

const json = { "Content-Type": "application/json" };

export const limitChecks: Check[] = [
  {
    name: "a body of exactly the limit is accepted, one byte more is 413",
    async run(subject) {
      const exact = () => JSON.stringify(validItem(subject.item)).padEnd(subject.bodyLimitBytes, " ");
      expectJson(await postText(subject, exact()), 201);
      expectJson(await postText(subject, chunked(exact()), { "Transfer-Encoding": "chunked" }), 201);
      expectProblem(await postText(subject, `${exact()} `), 413, "body_too_large");
      const tooLong = chunked(exact(), " ");
      expectProblem(await postText(subject, tooLong, { "Transfer-Encoding": "chunked" }), 413, "body_too_large");
    },
  },
  {
    name: "a client that is still sending a body that is too large gets the answer, not a reset",
    async run(subject) {
      const body = "x".repeat(5_000_000);
      expectProblem(await postText(subject, body), 413, "body_too_large");
      const chunks = chunked(...Array.from({ length: 50 }, () => "x".repeat(100_000)));
      expectProblem(await postText(subject, chunks, { "Transfer-Encoding": "chunked" }), 413, "body_too_large");
    },
  },
  {
    name: "a declared length over the limit is refused before the body arrives",
    async run(subject) {
      await each([subject.bodyLimitBytes + 1, 5_000_000_000, Number.MAX_SAFE_INTEGER], async (length) => {
        const head = message(subject, { method: "POST", headers: { ...json, "Content-Length": String(length) } });
        expectProblem(await exchange(subject, head), 413, "body_too_large");
      });
    },
  },
  {
    name: "a body with Expect: 100-continue is requested with 100",
    async run(subject) {
      const wire = new Wire(subject.url);
      const body = JSON.stringify(validItem(subject.item));
      const headers = { ...json, Expect: "100-continue", "Content-Length": String(body.length) };
      assert.equal((await wire.send(message(subject, { method: "POST", headers })).reply()).status, 100);
      expectJson(await wire.send(body).reply(), 201);
      expectJson(await wire.send(message(subject, { path: "/health" })).reply(), 200);
      wire.end();
    },
  },
  {
    name: "a body that will be refused is not requested with 100",
    async run(subject) {
      const expecting = { ...json, Expect: "100-continue", "Content-Length": "10" };
      const refusals: [Buffer, number, string][] = [
        [
          message(subject, { method: "POST", headers: { ...expecting, "Content-Length": "5000000" } }),
          413,
          "body_too_large",
        ],
        [
          message(subject, { method: "POST", headers: { ...expecting, "Content-Type": "text/plain" } }),
          415,
          "unsupported_media_type",
        ],
        [message(subject, { method: "POST", headers: { ...expecting, "Idempotency-Key": "a b" } }), 400, "bad_request"],
        [message(subject, { method: "POST", path: `/x/..${subject.path}`, headers: expecting }), 404, "not_found"],
      ];
      if (!takesAnyMethod(subject.document, subject))
        refusals.push([message(subject, { method: "LOCK", headers: expecting }), 405, "method_not_allowed"]);
      await each(refusals, async ([bytes, status, code]) => {
        const reply = await exchange(subject, bytes);
        expectProblem(reply, status, code);
        assert.equal(reply.headers["connection"], "close");
      });
      const reply = await send(subject, { method: "POST", path: "/nowhere/", headers: expecting });
      expectNotFound(reply, "POST /nowhere/");
      assert.equal(reply.headers["connection"], "close");
    },
  },
  {
    name: "any other expectation is 417",
    async run(subject) {
      await each(["200-ok", "x", "100-continued", ""], async (Expect) => {
        const bytes = message(subject, {
          method: "POST",
          headers: { ...json, Expect },
          body: JSON.stringify(validItem(subject.item)),
        });
        const reply = await exchange(subject, bytes);
        if (Expect === "") assert.ok(reply.status === 201 || reply.status === 417);
        else expectProblem(reply, 417, "expectation_failed");
      });
    },
  },
  {
    name: "headers over 16 KiB are 431",
    async run(subject) {
      const large = [
        message(subject, { headers: { "X-Large": "x".repeat(17_000) } }),
        message(subject, { path: `${subject.path}?x=${"x".repeat(17_000)}` }),
        message(subject, {
          headers: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`X-${n}`, "x".repeat(10)])),
        }),
        message(subject, { headers: { "X-Large": "x".repeat(200_000) } }),
      ];
      await each(large, async (bytes) => {
        expectProblem(await exchange(subject, bytes), 431, "headers_too_large");
      });
    },
  },
  {
    name: "many and long headers under 16 KiB are read",
    async run(subject) {
      expectJson(await exchange(subject, message(subject, { headers: { "X-Large": "x".repeat(15_000) } })), 200);
      const many = Object.fromEntries(Array.from({ length: 2100 }, (_, n) => [n.toString(36), "1"]));
      const bytes = message(subject, {
        method: "POST",
        headers: { ...many, ...json },
        body: JSON.stringify(validItem(subject.item)),
      });
      expectJson(await exchange(subject, bytes), 201);
    },
  },
  {
    name: "headers that arrive too slowly are 408",
    isSlow: true,
    async run(subject) {
      const unended = message(subject, { headers: { X: "" } }).subarray(0, -4);
      await expectTimeout(subject, unended, subject.headersTimeoutMs);
    },
  },
  {
    name: "a body that arrives too slowly is 408",
    isSlow: true,
    async run(subject) {
      const head = message(subject, { method: "POST", headers: { ...json, "Content-Length": "100" } });
      await expectTimeout(subject, Buffer.concat([head, Buffer.from('{"name":')]), subject.requestTimeoutMs);
    },
  },
];

/** Checks only that there is a time limit: how exact it is depends on the machine. */
async function expectTimeout(subject: Subject, bytes: string | Buffer, limitMs: number): Promise<void> {
  const wire = new Wire(subject.url).send(bytes);
  const drip = setInterval(() => wire.send("x"), limitMs / 5);
  try {
    expectProblem(await wire.reply({ timeoutMs: limitMs + 10_000 }), 408, "request_timeout");
  } finally {
    clearInterval(drip);
    wire.end();
  }
}
