import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import Hapi, { type Server } from "@hapi/hapi";
import { openApp } from "../../../kit/test/app.ts";
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
    server.auth.default("key");
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

test("a malformed cookie is refused at a route of the owner, as on plain hapi, and ignored at a resource", async () => {
  const server = await openApp(createApp);
  server.route({ method: "GET", path: "/cookies", handler: () => ({}) });
  const headers = { cookie: 'a="' };
  assert.equal((await server.inject({ url: "/cookies", headers })).statusCode, 400);
  assert.equal((await server.inject({ url: "/items", headers })).statusCode, 200);
  assert.equal((await server.inject({ url: "/health", headers })).statusCode, 200);
});
