import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import Hapi, { type Lifecycle, type Server } from "@hapi/hapi";
import * as v from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { createGuard } from "../../../src/core/features/auth/auth.ts";
import { token } from "../../../src/core/features/auth/token.ts";
import { valid } from "../../../src/core/frameworks/hapi/connect.ts";
import type { AppServer } from "../../../src/core/http/server.ts";
import { createApp } from "../../../src/frameworks/hapi/app.ts";

/** A strategy as an owner may have it, and a route that uses it. */
function addRoute(server: Server): void {
  server.auth.scheme("key", () => ({
    authenticate: ({ headers }, h) =>
      headers["x-key"] === "right"
        ? h.authenticated({ credentials: {} })
        : h.response({ message: "who" }).code(401).takeover(),
  }));
  server.auth.strategy("key", "key");
  server.route({ method: "POST", path: "/secret", options: { auth: "key" }, handler: ({ payload }) => ({ payload }) });
}

const bodies = ["{", '{"a":1}', '"text"', ""];
const keys = [{}, { "x-key": "right" }];

describe("a strategy of the owner", async () => {
  const [server, plain] = [await openApp(createApp), Hapi.server({ debug: false })];
  for (const one of [server, plain]) addRoute(one);
  await server.initialize();
  after(() => server.stop());

  test("decides before the body is read, as on plain hapi", async () => {
    for (const key of keys)
      for (const payload of bodies) {
        const asked = {
          method: "POST",
          url: "/secret",
          headers: { "content-type": "application/json", ...key },
          payload,
        };
        const [here, there] = [await server.inject(asked), await plain.inject(asked)];
        assert.equal(here.statusCode, there.statusCode, JSON.stringify(asked));
        if (here.statusCode === 200) assert.deepEqual(here.result, there.result);
      }
  });

  test("may be the default, and the routes of resources keep their rules", async () => {
    const server = await openApp(createApp);
    addRoute(server);
    server.auth.default("key");
    await server.initialize();
    assert.equal((await server.inject("/health")).statusCode, 200);
    const fetchStatus = async (payload: string, type: string, key: object) => {
      const headers = { "content-type": type, ...key };
      const { statusCode } = await server.inject({ method: "POST", url: "/items", headers, payload });
      return statusCode;
    };
    const [json, form] = ["application/json", "application/x-www-form-urlencoded"];
    for (const payload of ["{", "{}", '{"name":"x"}']) assert.equal(await fetchStatus(payload, json, {}), 401);
    assert.equal(await fetchStatus("{", json, { "x-key": "right" }), 400);
    assert.equal(await fetchStatus("{}", json, { "x-key": "right" }), 422);
    assert.equal(await fetchStatus("name=x", form, { "x-key": "right" }), 415);
    assert.equal(await fetchStatus('{"name":"x"}', json, { "x-key": "right" }), 201);
  });
});

describe("the strategy of the tokens", async () => {
  const server = await openApp(createApp);
  const handler: Lifecycle.Method = ({ auth }) => ({ app: auth.credentials?.app ?? null, strategy: auth.strategy });
  server.route({ method: "GET", path: "/who", handler });
  server.route({ method: "GET", path: "/tried", options: { auth: { strategy: "token", mode: "try" } }, handler });
  server.route({ method: "GET", path: "/anyone", options: { auth: false }, handler });
  await server.initialize();

  test("refuses what is injected without credentials", async () => {
    const { statusCode, result } = await server.inject("/who");
    assert.deepEqual([statusCode, JSON.parse(String(result)).code], [401, "unauthorized"]);
    const { statusCode: ofItems } = await server.inject({ method: "POST", url: "/items", payload: { name: "x" } });
    assert.equal(ofItems, 401);
    for (const url of ["/anyone", "/health"]) assert.equal((await server.inject(url)).statusCode, 200);
  });

  test("refuses them in mode try, too, as the server does", async () => {
    assert.equal((await server.inject("/tried")).statusCode, 401);
    const auth = { strategy: "token", credentials: {} };
    assert.equal((await server.inject({ url: "/tried", auth })).statusCode, 200);
  });

  test("takes credentials of a test", async () => {
    const auth = { strategy: "token", credentials: { app: { name: "shop" } } };
    const { result } = await server.inject({ url: "/who", auth });
    assert.deepEqual(result, { app: { name: "shop" }, strategy: "token" });
  });

  test("takes the tokens of this API, as in the first message of a WebSocket's client", async () => {
    const secret = "test-token-that-is-visibly-fake-too";
    const caller = token.read(`shop:${secret}`);
    assert.ok(caller);
    createGuard({ routes: [] }, [caller], server.listener as AppServer);
    const { result } = await server.inject({ url: "/who", headers: { authorization: `Bearer ${secret}` } });
    assert.deepEqual(result, { app: { name: "shop" }, strategy: "token" });
    for (const headers of [{}, { authorization: "Bearer wrong" }])
      assert.equal((await server.inject({ url: "/who", headers })).statusCode, 401);
  });
});

test("a schema refuses a body with 422, and any other part of a request with 400", async () => {
  const server = await openApp(createApp);
  const schema = valid(v.object({ n: v.picklist(["1"]) }));
  const options = (part: string) => ({ auth: false as const, validate: { [part]: schema } });
  server.route({ method: "GET", path: "/query", options: options("query"), handler: () => ({}) });
  server.route({ method: "GET", path: "/params/{n}", options: options("params"), handler: () => ({}) });
  server.route({ method: "POST", path: "/payload", options: options("payload"), handler: () => ({}) });
  const statuses = await Promise.all(
    [
      { url: "/query?n=2" },
      { url: "/query?n=1" },
      { url: "/params/2" },
      { url: "/params/1" },
      { method: "POST", url: "/payload", payload: { n: "2" } },
    ].map(async (asked) => (await server.inject(asked)).statusCode),
  );
  assert.deepEqual(statuses, [400, 200, 400, 200, 422]);
});

test("hapi reads what a route asks it to read: forms for a function of the owner, JSON with its own failAction", async () => {
  const server = await openApp(createApp);
  const handler: Lifecycle.Method = ({ payload }) => ({ payload });
  const validate = { payload: (value: object | Buffer | string | null) => Promise.resolve(value) };
  server.route({ method: "POST", path: "/form", options: { auth: false, validate }, handler });
  const payload = { failAction: "ignore" as const };
  server.route({ method: "POST", path: "/ignore", options: { auth: false, payload }, handler });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const form = await server.inject({ method: "POST", url: "/form", headers, payload: "a=1" });
  assert.deepEqual([form.statusCode, form.payload], [200, '{"payload":{"a":"1"}}']);
  const json = { "content-type": "application/json" };
  const ignored = await server.inject({ method: "POST", url: "/ignore", headers: json, payload: "{" });
  assert.deepEqual([ignored.statusCode, ignored.result], [200, { payload: null }]);
});

test("a malformed cookie is refused at a route of the owner, as on plain hapi, and ignored at a resource", async () => {
  const server = await openApp(createApp);
  server.route({ method: "GET", path: "/cookies", options: { auth: false }, handler: () => ({}) });
  const headers = { cookie: 'a="' };
  assert.equal((await server.inject({ url: "/cookies", headers })).statusCode, 400);
  assert.equal((await server.inject({ url: "/items", headers })).statusCode, 200);
  assert.equal((await server.inject({ url: "/health", headers })).statusCode, 200);
});
