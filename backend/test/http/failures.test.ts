import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { toAnswer } from "../../src/core/http/response.ts";
import { logging } from "../../src/core/log.ts";
import { Problem } from "../../src/core/problem.ts";
import { logLines } from "../support/log-lines.ts";
import { createTestServer } from "../support/server.ts";
import { authorization, Wire } from "../support/wire.ts";

const huge = "\u0000".repeat(5_000_000);
const cyclic: Error = new Error("cyclic");
cyclic.cause = cyclic;

const encoders: Record<string, (text: string) => Buffer> = {
  br: brotliCompressSync,
  deflate: deflateSync,
  gzip: gzipSync,
  zstd: zstdCompressSync,
};

/** What the client of another service throws. */
const upstream = (members: object) =>
  Object.assign(new Error("Invalid key fake-key-of-a-test"), {
    status: 401,
    headers: { "Set-Cookie": "upstream=1", "WWW-Authenticate": "Basic" },
    ...members,
  });

type Thrown = Record<string, unknown>;

const ofPage = { path: ["page"], message: "must be a number" };

/** What a handler throws, and the status of its answer. */
const thrown: Record<string, [value: unknown, status: number]> = {
  "a huge message": [Object.assign(new Error(huge), { status: 422 }), 422],
  "a huge message of a server error": [new Error(huge), 500],
  "headers that cannot be sent": [
    { status: 429, message: "slow", headers: { "X-Nul": "\u0000", "X-Long": huge } },
    429,
  ],
  "headers that can be sent": [{ status: 429, headers: { "Retry-After": "7", "X-Request-Id": "of-another" } }, 429],
  "a status that does not exist": [{ status: 404.5, message: "inner" }, 500],
  "many huge faults": [{ status: 400, errors: Array(100).fill({ message: huge, path: [huge] }) }, 400],
  "that something is not available": [{ status: 503, headers: { "Retry-After": "7" } }, 503],
  "what a service has answered": [upstream({ requestID: "req_1" }), 500],
  "what a service has answered, with its response": [upstream({ response: {}, request: {} }), 500],
  "an error that may not be for clients": [upstream({}), 401],
  "an error that is for clients": [upstream({ expose: true, request: {} }), 401],
  "an exception of Nest": [
    { getStatus: () => 400, status: 400, getResponse: () => ({ statusCode: 400, message: "No", reason: "age" }) },
    400,
  ],
  "an exception of Nest with an error alone": [
    { status: 403, message: "Http Exception", getResponse: () => ({ status: 403, error: "Not for you" }) },
    403,
  ],
  "an error of Boom": [
    {
      message: "No",
      output: { statusCode: 409, payload: { error: "Conflict", custom: 7, validation: { source: "x" } } },
    },
    409,
  ],
  "an error of h3": [
    { status: 409, message: "No", unhandled: undefined, body: { hint: "wait" }, data: { left: 1 } },
    409,
  ],
  "huge members": [{ status: 409, unhandled: false, message: "No", body: { big: huge } }, 409],
  "members that are no JSON": [{ status: 409, unhandled: false, message: "No", body: { big: 1n } }, 409],
  "a query that Fastify refuses": [{ statusCode: 400, validationContext: "querystring", validation: [ofPage] }, 400],
  "a query that hapi refuses": [
    { details: [ofPage], output: { statusCode: 400, payload: { validation: { source: "query" } } } },
    400,
  ],
  "a query that Elysia refuses": [{ status: 422, type: "query", details: [ofPage] }, 422],
  nothing: [undefined, 500],
  "a symbol": [Symbol("thrown"), 500],
  "an object without a prototype": [Object.create(null), 500],
  "its own cause": [cyclic, 500],
  "an object whose members throw": [
    {
      get status() {
        throw new Error("inner");
      },
    },
    500,
  ],
};

/** What a handler sends by itself. */
const failures: Record<string, { status: number; body: object }> = {
  "/sent": { status: 404, body: { statusCode: 404, message: "No such cat", error: "Not Found", cat: "Tom" } },
  "/own": { status: 409, body: { error: "taken", field: "name", message: "It is taken", code: "E_TAKEN" } },
  "/reused": {
    status: 422,
    body: {
      statusCode: 422,
      message: "No",
      code: "idempotency_key_reused",
      errors: [{ pointer: "#/a", detail: "is wrong" }],
    },
  },
  "/sold": { status: 409, body: { code: "sold_out", message: "Sold" } },
  "/library": { status: 401, body: { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" } },
  "/expired": { status: 410, body: { code: "expired", message: "Too late" } },
  "/framework": { status: 400, body: { statusCode: 400, code: "FST_ERR_VALIDATION", message: "Not valid" } },
  "/phrase": { status: 404, body: { message: "NOT_FOUND" } },
  "/batch": { status: 404, body: [{ error: { code: -32004 } }] },
  "/broken-batch": { status: 500, body: [{ error: { message: "inner secret" } }] },
  "/broken": { status: 500, body: { message: "inner secret" } },
};

describe("a handler that throws", { timeout: 60_000 }, () => {
  const handled: string[] = [];
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    const { url = "" } = req;
    handled.push(url);
    const own = failures[url];
    if (own) {
      res.writeHead(own.status, { "Content-Type": "application/json" });
      return void res.end(JSON.stringify(own.body));
    }
    if (url === "/compressed-batch") {
      res.writeHead(404, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      return void res.end(gzipSync('[{"error":{"code":-32004}}]'));
    }
    const [, encoding = ""] = /^\/compressed\/(\w+)/.exec(url) ?? [];
    if (encoding) {
      res.writeHead(404, { "Content-Type": "application/json", "Content-Encoding": encoding });
      return void res.end(encoders[encoding]?.('{"message":"No such cat","cat":"Tom"}') ?? "bytes");
    }
    if (url === "/nan") return void res.writeHead(200, { "content-length": Number.NaN }).end("some text");
    if (url !== "/changed") throw thrown[decodeURIComponent(url.slice(1))]?.[0];
    req.method = "PUT";
    res.writeHead(404).end("nothing");
  };
  const app = { routes: [{ method: "*", pattern: "/*" }], listener };
  const server = createTestServer(app);
  let url = "";
  before(async () => {
    logging.level = "silent";
    url = `http://127.0.0.1:${await server.listen()}`;
  });
  after(() => server.drain());

  for (const [what, [, status]] of Object.entries(thrown))
    test(`${what} gets a bounded answer`, async () => {
      const answer = await fetch(`${url}/${encodeURIComponent(what)}`, { headers: credentials });
      assert.equal(answer.status, status);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
      const body = await answer.text();
      assert.equal(JSON.parse(body).status, status);
      assert.equal(JSON.parse(body).requestId, answer.headers.get("x-request-id"));
      assert.ok(body.length < 300_000, `${body.length} characters`);
      assert.equal(answer.headers.get("x-long"), null);
      if (what.startsWith("headers that can be")) assert.equal(answer.headers.get("retry-after"), "7");
    });

  test("what a service has answered tells the client nothing", async () => {
    const ask = async (what: string) => {
      const response = await fetch(`${url}/${encodeURIComponent(what)}`, { headers: { ...credentials } });
      const { "set-cookie": cookie, "www-authenticate": challenge } = Object.fromEntries(response.headers);
      return [/fake-key/.test(await response.text()), cookie, challenge];
    };
    assert.deepEqual(await ask("what a service has answered"), [false, undefined, undefined]);
    assert.deepEqual(await ask("what a service has answered, with its response"), [false, undefined, undefined]);
    assert.deepEqual(await ask("an error that may not be for clients"), [true, undefined, "Basic"]);
    assert.deepEqual(await ask("an error that is for clients"), [true, "upstream=1", "Basic"]);
  });

  test("or sends a failure of its own gets a problem with its members, and one status", async () => {
    const answer = await fetch(`${url}/sent`, { headers: credentials });
    const { requestId: _, ...problem } = (await answer.json()) as Record<string, unknown>;
    const standard = { type: "about:blank", title: "Not Found", status: 404, code: "not_found", detail: "No such cat" };
    assert.deepEqual(problem, { ...standard, cat: "Tom" });
  });

  test("sends all members of a failure in a form of its own", async () => {
    const answer = await fetch(`${url}/own`, { headers: credentials });
    const { code, detail, error, field, message } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual([code, detail, error, field, message], ["E_TAKEN", "It is taken", "taken", "name", "It is taken"]);
  });

  test("keeps the code and the faults of a problem that a framework has written in its own form", async () => {
    const answer = await fetch(`${url}/reused`, { headers: credentials });
    const { code, errors } = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual([code, errors], ["idempotency_key_reused", [{ pointer: "#/a", detail: "is wrong" }]]);
  });

  test("keeps a code of the app's own, or of a library that answers for it, and not one of a framework", async () => {
    for (const [path, expected] of Object.entries({
      "/sold": ["sold_out", "Sold"],
      "/expired": ["expired", "Too late"],
      "/library": ["INVALID_EMAIL_OR_PASSWORD", "Invalid email or password"],
      "/framework": ["bad_request", "Not valid"],
      "/phrase": ["not_found", "Nothing was found at this path."],
    })) {
      const answer = await fetch(`${url}${path}`, { headers: credentials });
      const { code, detail } = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual([code, detail], expected);
    }
  });

  test("sends a list of failures as it is, because its client knows which request each of them is for", async () => {
    for (const path of ["/batch", "/compressed-batch"]) {
      const answer = await fetch(`${url}${path}`, { headers: credentials });
      assert.deepEqual([answer.status, await answer.text()], [404, '[{"error":{"code":-32004}}]']);
      const { "content-type": type, "x-request-id": id } = Object.fromEntries(answer.headers);
      assert.deepEqual([type, id?.length], ["application/json", 36]);
    }
    const failed = await fetch(`${url}/broken-batch`, { headers: credentials });
    assert.deepEqual([failed.status, ((await failed.json()) as { code: string }).code], [500, "internal_error"]);
  });

  test("sends a failure that is not the client's fault: the log says what the client does not get", async () => {
    let text = "";
    const lines = await logLines(async () => {
      text = await (await fetch(`${url}/broken`, { headers: credentials })).text();
    });
    assert.match(text, /internal_error/);
    assert.doesNotMatch(text, /inner secret/);
    assert.match(JSON.stringify(lines), /the app answered with a failure.*inner secret/);
  });

  test("tells the client what its framework would send beside the message", async () => {
    const ask = async (what: string) =>
      (await (await fetch(`${url}/${encodeURIComponent(what)}`, { headers: credentials })).json()) as Thrown;
    const ofNest = await ask("an exception of Nest");
    assert.deepEqual([ofNest["detail"], ofNest["reason"], ofNest["message"]], ["No", "age", undefined]);
    const untitled = await ask("an exception of Nest with an error alone");
    assert.deepEqual([untitled["detail"], untitled["error"]], ["Not for you", "Not for you"]);
    const boom = await ask("an error of Boom");
    assert.deepEqual(
      [boom["detail"], boom["custom"], boom["error"], boom["validation"]],
      ["No", 7, undefined, undefined],
    );
    const ofH3 = await ask("an error of h3");
    assert.deepEqual([ofH3["detail"], ofH3["hint"], ofH3["data"]], ["No", "wait", { left: 1 }]);
    for (const what of ["huge members", "members that are no JSON"])
      assert.deepEqual([(await ask(what))["status"], (await ask(what))["big"]], [409, undefined], what);
  });

  test("names a parameter of a query that a validator refuses", async () => {
    for (const what of ["a query that Fastify refuses", "a query that hapi refuses", "a query that Elysia refuses"]) {
      const answer = await fetch(`${url}/${encodeURIComponent(what)}`, { headers: credentials });
      const { errors } = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(errors, [{ parameter: "page", detail: "must be a number" }], what);
    }
  });

  test("gets the status that was set for the answer, but not that of another service", () => {
    const ask = (error: unknown, given: number) => toAnswer(error, {}, given).status;
    assert.deepEqual([ask(new Error("x"), 404), ask(new Error("x"), 500), ask(new Error("x"), 302)], [404, 500, 500]);
    assert.deepEqual([ask(upstream({ response: {} }), 401), ask(upstream({ response: {} }), 409)], [500, 409]);
    assert.equal(ask(new Problem("not_found", "Gone."), 410), 404);
  });

  test("keeps its members if a package has compressed them", async () => {
    for (const encoding of [...Object.keys(encoders), "unknown"]) {
      const answer = await fetch(`${url}/compressed/${encoding}`, { headers: credentials });
      const { status, detail, cat } = (await answer.json()) as Record<string, unknown>;
      const isKnown = encoding !== "unknown";
      assert.deepEqual([status, cat, answer.headers.get("content-encoding")], [404, isKnown ? "Tom" : undefined, null]);
      assert.equal(detail, isKnown ? "No such cat" : "Nothing was found at this path.");
    }
  });

  test("gets no body for HEAD, whatever the method was changed to: it would be read as the next answer", async () => {
    const wire = await Wire.open(url);
    const head = ["HEAD /changed HTTP/1.1", "Host: localhost", authorization, "Connection: close", "", ""];
    wire.send(...head);
    assert.match(await wire.ended, /^HTTP\/1\.1 404 .*\r\n\r\n$/s);
  });

  test("or that sends a length that is not a number gets its answer to the client", async () => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(`${url}/nan`, { method, headers: credentials });
      assert.deepEqual([answer.status, await answer.text()], [200, method === "GET" ? "some text" : ""]);
    }
  });

  test("gets no request that follows a malformed one on its connection", async () => {
    const wire = await Wire.open(url);
    const [chunked, second] = [["Transfer-Encoding: chunked", "", "0", "", ""], "GET /smuggled HTTP/1.1"];
    const first = ["POST /malformed HTTP/1.0", "Host: localhost", "Connection: keep-alive", authorization, ...chunked];
    wire.send([...first, second].join("\r\n"), "Host: localhost", authorization, "", "");
    const received = await wire.ended;
    assert.match(received, /^HTTP\/1\.1 400 .*Connection: close\r\n/s);
    assert.equal(received.split("HTTP/1.1 ").length, 2);
    assert.ok(!handled.includes("/smuggled") && !handled.includes("/malformed"), handled.join());
  });
});
