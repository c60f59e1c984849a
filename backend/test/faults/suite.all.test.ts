import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { authOperationChecks, closedIn } from "../../kit/suite/auth/checks.ts";
import { creatingChecks } from "../../kit/suite/creating.ts";
import { type Operation, operationsIn, resourcesIn } from "../../kit/suite/document.ts";
import { findFeatures } from "../../kit/suite/features.ts";
import { selectChecks } from "../../kit/suite/index.ts";
import { itemRouteChecks } from "../../kit/suite/item-routes/checks.ts";
import { create, listingChecks } from "../../kit/suite/listing.ts";
import { operationChecks } from "../../kit/suite/operations.ts";
import { relationChecks } from "../../kit/suite/relations/checks.ts";
import { Skipped } from "../../kit/suite/skipped.ts";
import { defaults, type Subject } from "../../kit/suite/suite.ts";
import { uniqueChecks } from "../../kit/suite/unique/checks.ts";
import { Backend } from "../../kit/test/backend.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import openApi from "../../openapi.json" with { type: "json" };
import { findTitle } from "../../src/core/problem.ts";
import type { Item } from "../support/client.ts";
import { Load } from "../support/load.ts";

const [resource = assert.fail()] = resourcesIn(openApi);
const features = findFeatures(openApi);
const at = (url: string): Subject => ({ ...defaults, ...resource, document: openApi, features, url });
const checks = [...listingChecks, ...creatingChecks];

describe("the suite, while other clients create items all the time,", { timeout: 120_000 }, () => {
  let backend: Backend;
  let others: Load;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
    others = new Load(backend.url, { clients: 2, pauseMs: 5 });
    await others.hasCreated(50);
  });
  after(async () => {
    await others.end();
    await backend.stop();
  });

  for (const { name, run } of checks) test(`finds no fault: ${name}`, () => run(at(backend.url)));
});

describe("the suite", { timeout: 120_000 }, () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
    await create(at(backend.url), 150);
  });
  after(() => backend.stop());

  for (const [fault, { tamper, names }] of Object.entries(faults()))
    test(`finds the fault of a backend that ${fault}`, async () => {
      using wrong = await tampering(backend.url, tamper);
      for (const name of names) {
        const check = checks.find((one) => one.name.startsWith(name));
        await assert.rejects(async () => check?.run(at(wrong.url)), name);
      }
    });
});

describe("the suite, with a plugin of the owner that", () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
  });
  after(() => backend.stop());

  const expectSkipped = async (url: string, prefix: string, why: RegExp) => {
    const all = [...operationChecks, ...creatingChecks, ...itemRouteChecks];
    const check = all.find(({ name }) => name.startsWith(prefix)) ?? assert.fail();
    await assert.rejects(check.run(at(url)), (error) => error instanceof Skipped && why.test(error.message));
  };

  test("refuses forms with 403 tests less, and says so", async () => {
    using guarded = await passing(backend.url, ({ method = "", headers: { "content-type": type = "text/plain" } }) =>
      ["GET", "HEAD", "OPTIONS"].includes(method) || type.includes("json") ? undefined : 403,
    );
    for (const name of ["any method that a path", "a body that is not application/json", "bodies of PUT and PATCH"])
      await expectSkipped(guarded.url, name, /refuses .* with 403/);
  });

  for (const later of [201, 415])
    test(`decodes bodies tests less, and says so, if a decoded one is then ${later}`, async () => {
      using decoding = await passing(backend.url, ({ headers }, body) => {
        if (headers["content-encoding"] === undefined) return undefined;
        return body.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])) ? later : 400;
      });
      for (const name of ["any Content-Encoding", "bodies of PUT and PATCH"])
        await expectSkipped(decoding.url, name, /decodes bodies/);
    });

  test("ignores encodings is a fault", async () => {
    using ignoring = await passing(backend.url, ({ headers }) => {
      delete headers["content-encoding"];
      return undefined;
    });
    const check = creatingChecks.find(({ name }) => name.startsWith("any Content-Encoding")) ?? assert.fail();
    await assert.rejects(check.run(at(ignoring.url)), assert.AssertionError);
  });
});

/** Passes requests to a backend, unless they are answered with a status. */
function passing(url: string, answer: (req: IncomingMessage, body: Buffer) => number | undefined) {
  return serving(async (req, res) => {
    const body = await buffer(req);
    const status = answer(req, body);
    const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff", "x-request-id": "some-id" };
    if (status !== undefined) {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      return refuse(res, status, "by_plugin");
    }
    const { "transfer-encoding": _, ...rest } = req.headers;
    const inner = request(url + req.url, { method: req.method, headers: rest, agent: false });
    inner.end(body);
    const [reply] = (await once(inner, "response")) as [IncomingMessage];
    res.writeHead(reply.statusCode ?? 500, reply.headers);
    reply.pipe(res);
  });
}

describe("the suite, for rules in a document that a backend does not keep,", () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
  });
  after(() => backend.stop());

  const claiming = (rule: object) => {
    const { name = {} } = resource.item.properties;
    return { ...resource.item, properties: { name: { ...name, ...rule } } };
  };
  for (const { name, run, isFor } of [...uniqueChecks, ...relationChecks]) {
    const item = claiming({ "x-unique": true, "x-references": "items" });
    if (isFor?.({ ...resource, item }))
      test(`finds the fault: ${name}`, () => assert.rejects(run({ ...at(backend.url), item })));
  }
});

describe("the suite, for the routes of single items,", () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
  });
  after(() => backend.stop());

  const isChange = (method = "") => ["PUT", "PATCH", "DELETE"].includes(method);
  const wrongs: Record<string, [tamper: (req: IncomingMessage) => object, name: string]> = {
    "ignores the tag in If-Match": [
      ({ headers }) => (headers["if-match"] === undefined ? {} : { "if-match": "*" }),
      "one of several clients",
    ],
    "changes without If-Match": [
      ({ method, headers }) => (isChange(method) ? { "if-match": headers["if-match"] ?? "*" } : {}),
      "a change without",
    ],
    "never answers 304": [() => ({ "if-none-match": '"x"' }), "GET with the ETag"],
    "forgets keys": [() => ({ "idempotency-key": randomUUID() }), "a retry of a creation"],
    "accepts a merge patch as an item": [
      ({ method }) => (method === "PUT" ? { "content-type": "application/json" } : {}),
      "bodies of PUT and PATCH",
    ],
  };
  for (const [fault, [tamper, name]] of Object.entries(wrongs))
    test(`finds the fault of a backend that ${fault}`, async () => {
      using wrong = await serving(async (req, res) => {
        const headers = { ...req.headers, ...tamper(req) };
        const inner = request(backend.url + req.url, { method: req.method, headers, agent: false });
        req.pipe(inner);
        const [answer] = (await once(inner, "response")) as [IncomingMessage];
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      });
      const check = itemRouteChecks.find((one) => one.name.startsWith(name)) ?? assert.fail();
      await assert.rejects(check.run(at(wrong.url)), assert.AssertionError);
      await check.run(at(backend.url));
    });
});

const json = { content: { "application/json": {} } };
const problem = { $ref: "#/components/responses/Problem" };

/** Routes that an owner may add: each with a parameter, a body or its own limit. */
const owned = {
  ...openApi,
  paths: {
    "/health": openApi.paths["/health"],
    "/notes/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" }, example: "josé" }],
      get: { security: [{ bearer: [] }], responses: { "2XX": json, default: problem } },
      put: { security: [{ bearer: [] }], requestBody: { content: { "text/plain": {} } }, "x-body-limit": 1000 },
    },
    "/status": { get: { security: [], responses: { 200: json, default: problem } } },
  },
};

describe("the suite, for routes that an owner added,", () => {
  const place = (url: string) => ({ ...defaults, document: owned, features: findFeatures(owned), url });
  const all = [...operationChecks, ...authOperationChecks];

  test("reads the operations of the document", () => {
    const printPlace = ({ method, target }: Operation) => `${method} ${target}`;
    const closed = ["GET /notes/jos%C3%A9", "PUT /notes/jos%C3%A9"];
    assert.deepEqual(operationsIn(owned).map(printPlace), ["GET /health", ...closed, "GET /status"]);
    assert.deepEqual(closedIn(owned).map(printPlace), closed);
    assert.deepEqual(resourcesIn(owned), []);
    assert.deepEqual(
      selectChecks({ ...openApi, paths: { ...openApi.paths, "/orders": openApi.paths["/items"] } })
        .filter(({ name }) => name.endsWith("GET answers a page"))
        .map(({ name }) => name),
      ["/items: GET answers a page", "/orders: GET answers a page"],
    );
  });

  test("finds no fault in a correct backend", async () => {
    using backend = await serving(owners({}));
    for (const { run } of all) await run(place(backend.url));
  });

  test("finds no fault in a server that closes connections without Connection: close", async () => {
    const answer = owners({});
    using backend = await serving((req, res) => {
      res.on("finish", () => setTimeout(() => req.socket.end(), Math.random() * 2));
      answer(req, res);
    });
    for (const { run } of all) await run(place(backend.url));
  });

  const wrongs: Record<string, [Partial<Answers>, string]> = {
    "answers without the problem form": [
      { "GET /notes": (res) => res.writeHead(404, { "Content-Type": "text/html" }).end("not here") },
      "GET answers as openapi.json says",
    ],
    "fails without a request id": [
      { "GET /notes": (res) => refuse(res, 403, "forbidden", { requestId: "" }) },
      "GET answers as openapi.json says",
    ],
    "answers with a status that is not described": [
      { "GET /status": (res) => res.writeHead(202, { "Content-Type": "application/json" }).end("{}") },
      "GET answers as openapi.json says",
    ],
    "answers with a media type that is not described": [
      { "GET /notes": (res) => res.writeHead(200, { "Content-Type": "text/html" }).end("<p>") },
      "GET answers as openapi.json says",
    ],
    "lacks a header that every answer must have": [
      { "GET /notes": (res) => without(res, "x-content-type-options").end("{}") },
      "GET answers as openapi.json says",
    ],
    "does not answer HEAD": [{ HEAD: (res) => refuse(res, 404, "not_found") }, "GET answers as openapi.json says"],
    "answers 404 to a method that it does not have": [
      { 405: (res) => refuse(res, 404, "not_found") },
      "any method that a path does not have",
    ],
    "answers 405 without Allow": [
      { 405: (res) => refuse(without(res, "Allow"), 405, "method_not_allowed") },
      "any method that a path does not have",
    ],
    "has another method than the document": [{ 405: (res) => res.end("{}") }, "any method that a path does not have"],
    "answers OPTIONS without Allow": [{ OPTIONS: (res) => without(res, "Allow").writeHead(204).end() }, "OPTIONS"],
    "is open without a token": [{ 401: undefined }, "every operation needs a token"],
    "asks for a token where none is needed": [
      { "GET /status": (res) => refuse(res.setHeader("WWW-Authenticate", 'Bearer realm="api"'), 401, "unauthorized") },
      "no public operation",
    ],
    "accepts a body over its limit": [{ 413: (res) => res.end("{}") }, "a body over the limit"],
    "has more below a path than the document": [{ 404: (res) => res.end("{}") }, "an unknown path below"],
  };
  for (const [fault, [answers, name]] of Object.entries(wrongs))
    test(`finds the fault of a backend that ${fault}`, async () => {
      using backend = await serving(owners(answers));
      const failed: string[] = [];
      for (const { name, run } of all) await run(place(backend.url)).catch(() => failed.push(name));
      assert.ok(
        failed.some((one) => one.startsWith(name)),
        failed.join(),
      );
    });
});

type Answers = Record<string, ((res: ServerResponse) => unknown) | undefined>;

/** A backend with the routes of `owned`, with some answers replaced. */
function owners(otherwise: Partial<Answers>): RequestListener {
  const routes: Record<string, string> = {
    "/health": "GET, HEAD",
    "/status": "GET, HEAD",
    "/notes/": "GET, HEAD, PUT",
  };
  const answers: Answers = {
    401: (res) => refuse(res.setHeader("WWW-Authenticate", 'Bearer realm="api"'), 401, "unauthorized"),
    404: (res) => refuse(res, 404, "not_found"),
    405: (res) => refuse(res, 405, "method_not_allowed"),
    413: (res) => refuse(res, 413, "body_too_large"),
    OPTIONS: (res) => res.writeHead(204).end(),
    ...otherwise,
  };
  return (req, res) => {
    req.resume();
    const { method = "", url = "", headers } = req;
    for (const [name, value] of Object.entries({ "cache-control": "no-store", "x-content-type-options": "nosniff" }))
      res.setHeader(name, value);
    res.setHeader("x-request-id", headers["x-request-id"] ?? "some-id");
    const [, path = "", rest] = /^(\/health|\/status|\/notes\/)(?:(?<=\/)[^/]+)?(.*)$/.exec(url) ?? [];
    const isKnown = routes[path] !== undefined && rest === "";
    const isTaken = isKnown && routes[path]?.split(", ").includes(method);
    if (isKnown) res.setHeader("Allow", `${routes[path]}, OPTIONS`);
    const outcome = () => {
      if (method === "OPTIONS" && isKnown) return "OPTIONS";
      if (path !== "/health" && path !== "/status" && answers["401"] && !headers.authorization) return "401";
      if (!isTaken) return isKnown ? "405" : "404";
      if (Number(headers["content-length"]) > 1000) return "413";
      return method === "HEAD" ? "HEAD" : `${method} ${path.replace(/\/$/, "")}`;
    };
    const answer = answers[outcome()] ?? (() => res.end());
    answer(res);
  };
}

function without(res: ServerResponse, header: string): ServerResponse {
  res.removeHeader(header);
  return res;
}

function refuse(res: ServerResponse, status: number, code: string, more: object = {}): void {
  const requestId = res.getHeader("x-request-id");
  const body = { type: "about:blank", title: findTitle(status), status, code, detail: "No.", requestId, ...more };
  res.writeHead(status, { "Content-Type": "application/problem+json" }).end(JSON.stringify(body));
}

/** What is wrong with a list, and the checks that must find it. */
function faults(): Record<string, { tamper(items: Item[], query: string): Item[]; names: string[] }> {
  const all = ["items are listed", "walking the cursors", "POST answers"];
  let oldest: Item[] = [];
  const started = new Date().toISOString();
  return {
    "lists each page in reverse order": {
      tamper: (items) => items.toReversed(),
      names: ["items are listed", "walking the cursors"],
    },
    "lists an old item before all others": {
      tamper: (items, query) => {
        if (oldest.length === 0) oldest = items.slice(-1);
        return query.includes("cursor") ? items : [...oldest, ...items];
      },
      names: ["items are listed"],
    },
    "lists nothing new": {
      tamper: (items) => items.filter(({ createdAt }) => createdAt < started),
      names: all,
    },
    "leaves out one item in five": {
      tamper: (items) => items.filter((_, index) => index % 5 < 4),
      names: ["items are listed", "walking the cursors"],
    },
    "lists the last item of a page twice": {
      tamper: (items) => [...items, ...items.slice(-1)],
      names: ["walking the cursors", "the last page has"],
    },
    "loses the fields of an item": {
      tamper: (items) => items.map((one) => ({ ...one, name: one.name.slice(1) })),
      names: all,
    },
  };
}

/** A proxy that changes the lists of a backend. */
function tampering(backendUrl: string, tamper: (items: Item[], query: string) => Item[]) {
  return serving(async (req, res) => {
    const { method, headers, url = "" } = req;
    const inner = request(backendUrl + url, { method, headers, agent: false });
    req.pipe(inner);
    const [answer] = (await once(inner, "response")) as [IncomingMessage];
    const body = await text(answer);
    const page = method === "GET" && answer.statusCode === 200 ? JSON.parse(body) : undefined;
    const sent = page ? JSON.stringify({ ...page, items: tamper(page.items, url) }) : body;
    const { "content-length": _, "transfer-encoding": __, ...rest } = answer.headers;
    res.writeHead(answer.statusCode ?? 500, { ...rest, "Content-Length": Buffer.byteLength(sent) }).end(sent);
  });
}

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
