import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { forbidden } from "@hapi/boom";
import Hapi, { type Server } from "@hapi/hapi";
import Joi from "joi";
import * as v from "valibot";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { json as anyJson } from "../../../src/core/fields/json.ts";
import { core, sendProblem, serverOptions, toListener, valid } from "../../../src/core/frameworks/hapi/connect.ts";
import type { AppServer } from "../../../src/core/http/server.ts";
import { resource } from "../../../src/core/resource.ts";
import { createApp } from "../../../src/frameworks/hapi/app.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

/** An app's own types, as its owner may declare them beside those of the core. */
declare module "@hapi/hapi" {
  interface AppCredentials {
    name: string;
  }
  interface RequestApplicationState {
    caller: string;
  }
}

const json = { "content-type": "application/json" };

/** Plain hapi answers the same. */
describe("an owner's code on hapi", async () => {
  const server = await openApp(createApp);
  const seen: string[] = [];
  addCode(server, seen);
  const shell = createTestServer(await toListener(server), {}, server.listener as AppServer);
  const url = `http://127.0.0.1:${await shell.listen()}`;
  after(() => shell.drain());
  const post = async (path: string, body: string, headers: object = {}) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { ...json, ...credentials, ...headers },
      body,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test("may rewrite the URL and the method of a request with a body", async () => {
    assert.deepEqual(await post("/old/notes", '{"a":1}'), { status: 201, body: { a: 1 } });
    assert.deepEqual(await post("/old/checked", '{"a":1}'), { status: 200, body: { a: 1 } });
    assert.equal((await post("/old/checked", '{"a":"1"}')).status, 422);
    const override = { "x-http-method-override": "PUT" };
    assert.deepEqual(await post("/notes/1", '{"a":1}', override), { status: 200, body: { put: { a: 1 } } });
    assert.deepEqual([(await post("/old/none", "{}")).status, (await post("/notes/1", "{}")).status], [404, 405]);
  });

  test("refuses a request in an extension at onPreAuth before its body is read", async () => {
    const closed = { "x-closed": "yes" };
    for (const path of ["/checked", "/items", "/notes"])
      assert.equal((await post(path, "{", closed)).body["detail"], "closed", path);
    assert.deepEqual(await post("/checked", '{"a":1}'), { status: 200, body: { a: 1 } });
  });

  test("gets no body that would change a prototype", async () => {
    for (const body of ['{"__proto__":{"x":1}}', '{"a":[{"\\u005f_proto__":1}]}'])
      for (const path of ["/notes", "/loose"]) assert.equal((await post(path, body)).status, 400, path);
    assert.deepEqual(await post("/loose", '{"a":"\\u005f"}'), { status: 200, body: { a: "_" } });
    const other = '{"constructor":{"prototype":{"x":1}}}';
    assert.deepEqual(await post("/notes", other), { status: 201, body: JSON.parse(other) });
    assert.equal((await post("/items", '{"name":"x","__proto__":{"x":1}}')).status, 422);
    const kept = { status: 200, body: JSON.parse('{"any":{"__proto__":{"x":1}}}') };
    assert.deepEqual(await post("/things", '{"any":{"__proto__":{"x":1}}}'), kept);
    assert.equal((await post("/notes", "{")).body["code"], "malformed_json");
  });

  test("has a schema that fails logged, and the answer tells nothing", async () => {
    for (const [path, method] of Object.entries({ "/failing": "POST", "/failing?a=1": "GET" })) {
      const body = method === "POST" ? "{}" : null;
      const lines = await logLines(async () => {
        const response = await fetch(url + path, { method, headers: { ...json, ...credentials }, body });
        assert.equal(response.status, 500, path);
        assert.doesNotMatch(await response.text(), /internal\b|SELECT/);
      });
      assert.match(JSON.stringify(lines), /SELECT 1/);
    }
  });

  test("has an error of its own function for a part of a request hidden, as always in hapi, unless it is for the client", async () => {
    const get = async (query: string) => {
      const response = await fetch(`${url}/own?${query}`, { headers: { ...credentials } });
      return [response.status, ((await response.json()) as { detail: string }).detail];
    };
    assert.deepEqual(await get("throw=plain"), [400, "Invalid request query input"]);
    assert.deepEqual(await get("throw=boom"), [403, "closed"]);
  });

  test("has an answer that cannot be written logged once, with the request id", async () => {
    for (const path of ["/bigint", "/circular", "/broken"]) {
      const lines = await logLines(async () => {
        const response = await fetch(url + path, { headers: { ...credentials, "x-request-id": "one" } });
        assert.equal(response.status, 500);
        assert.equal(((await response.json()) as { code: string }).code, "internal_error");
      });
      const errors = lines.filter((line) => "error" in line);
      assert.deepEqual(
        errors.map(({ requestId }) => requestId),
        ["one"],
        path,
      );
    }
  });

  test("gets the events of a request as its body is read", async () => {
    for (const path of ["/checked", "/notes"]) {
      seen.length = 0;
      await post(path, '{"a":1}');
      assert.deepEqual(seen, ['{"a":1}', "finish"], path);
    }
  });

  test("has a fault in its query named as a parameter", async () => {
    const response = await fetch(`${url}/search?n=x`, { headers: { ...credentials } });
    const { errors } = (await response.json()) as { errors: { parameter: string }[] };
    assert.deepEqual([response.status, errors[0]?.parameter], [400, "n"]);
  });
});

function addCode(server: Server, seen: string[]): void {
  server.ext("onRequest", (request, h) => {
    const { path, headers } = request;
    if (path.startsWith("/old/")) request.setUrl(path.slice("/old".length));
    if (headers["x-http-method-override"]) request.setMethod("PUT");
    request.events.on("peek", (chunk) => void seen.push(chunk.toString()));
    request.events.once("finish", () => void seen.push("finish"));
    return h.continue;
  });
  server.ext("onPreAuth", ({ headers }, h) => {
    if (headers["x-closed"]) throw forbidden("closed");
    return h.continue;
  });
  const circular: { self?: object } = {};
  circular.self = circular;
  const failing = valid({
    "~standard": {
      version: 1,
      vendor: "own",
      validate: () => {
        throw new Error("SELECT 1 FROM users failed at db-internal");
      },
    },
  });
  const things = resource("things", "Thing", { any: anyJson() });
  server.route([
    {
      method: "POST",
      path: "/loose",
      options: { validate: { payload: valid(v.unknown()) } },
      handler: ({ payload }) => payload as object,
    },
    {
      method: "POST",
      path: "/things",
      options: { validate: { payload: valid(things.schema) } },
      handler: ({ payload }, h) => h.response(JSON.stringify(payload)).type("application/json"),
    },
    { method: "POST", path: "/failing", options: { validate: { payload: failing } }, handler: () => ({}) },
    { method: "GET", path: "/failing", options: { validate: { query: failing } }, handler: () => ({}) },
    {
      method: "GET",
      path: "/own",
      options: {
        validate: {
          query: async (query: unknown) => {
            throw (query as { throw?: string }).throw === "boom" ? forbidden("closed") : new Error("at db-internal");
          },
        },
      },
      handler: () => ({}),
    },
    { method: "POST", path: "/notes", handler: ({ payload }, h) => h.response(payload).code(201) },
    { method: "PUT", path: "/notes/{id}", handler: ({ payload }) => ({ put: payload }) },
    {
      method: "POST",
      path: "/checked",
      options: { validate: { payload: valid(v.object({ a: v.number() })) } },
      handler: ({ payload }) => payload,
    },
    { method: "GET", path: "/bigint", handler: () => ({ n: 1n }) },
    { method: "GET", path: "/circular", handler: () => circular },
    {
      method: "GET",
      path: "/broken",
      handler: () => {
        throw new Error("broken");
      },
    },
    {
      method: "GET",
      path: "/search",
      options: { validate: { query: Joi.object({ n: Joi.number() }) } },
      handler: () => ({}),
    },
  ]);
}

test("headers that an extension adds to a failure are sent with its problem", async () => {
  const server = await openApp(async (parts) => {
    const server = Hapi.server(serverOptions(parts));
    await server.register(core);
    server.ext("onPreResponse", ({ response }, h) => {
      if ("isBoom" in response) response.output.headers["x-seen"] = "1";
      return h.continue;
    });
    const validate = { params: Joi.object({ id: Joi.number() }) };
    server.route({ method: "POST", path: "/numbers/{id}", options: { validate }, handler: () => "" });
    server.route({ method: "GET", path: "/fails", handler: () => Promise.reject(new Error("inner")) });
    server.ext("onPreResponse", sendProblem);
    return server;
  });
  const shell = createTestServer(await toListener(server), {}, server.listener as AppServer);
  const url = `http://127.0.0.1:${await shell.listen()}`;
  const numbers = await fetch(`${url}/numbers/x`, { method: "POST", headers: credentials });
  const { errors } = (await numbers.json()) as { errors: { parameter: string }[] };
  assert.deepEqual([numbers.headers.get("x-seen"), errors[0]?.parameter], ["1", "id"]);
  await logLines(async () => {
    const fails = await fetch(`${url}/fails`, { headers: credentials });
    assert.deepEqual([fails.status, fails.headers.get("x-seen")], [500, "1"]);
    assert.match(fails.headers.get("content-type") ?? "", /problem/);
  });
  await shell.drain();
});
