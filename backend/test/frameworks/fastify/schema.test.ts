import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Fastify, { type FastifyInstance, type FastifySchema, type InjectOptions, type RouteOptions } from "fastify";
import { object, string } from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { core } from "../../../src/core/frameworks/fastify/connect.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";
import { routes } from "../../../src/frameworks/fastify/routes.ts";

const body = { type: "object", properties: { count: { type: "integer" } }, additionalProperties: false };

const cases: [name: string, schema: FastifySchema, requests: InjectOptions[]][] = [
  [
    "a header that must not be sent",
    { headers: { type: "object", not: { type: "object", required: ["X-Debug"] } } },
    [{}, sent("x-debug")],
  ],
  [
    "a header that is required in a part of the schema",
    { headers: { allOf: [{ type: "object", required: ["X-Api-Key"] }] } },
    [{}, sent("x-api-key")],
  ],
  ["a schema that is false", { headers: false }, [{}]],
  [
    "a body that is converted",
    { body },
    [{ payload: { count: "5" } }, { payload: { count: 5, more: 1 } }, { payload: { count: "x" } }, {}],
  ],
];

function sent(header: string): InjectOptions {
  return { headers: { [header]: "yes" } };
}

describe("a route's schema", async () => {
  const app = await openApp(createApp);

  for (const [number, [name, schema, requests]] of cases.entries()) {
    const add = (to: FastifyInstance) =>
      to.post(`/schemas/${number}`, { schema }, async (request) => ({ body: request.body }));
    const plain = Fastify();
    add(plain);
    add(app as unknown as FastifyInstance);
    const ask = async (one: Pick<FastifyInstance, "inject">, request: InjectOptions) => {
      const answer = await one.inject({ method: "POST", url: `/schemas/${number}`, ...request });
      return [answer.statusCode, answer.statusCode === 200 && answer.json()];
    };

    test(`has the result that it has on plain Fastify: ${name}`, async () => {
      for (const request of requests) assert.deepEqual(await ask(app, request), await ask(plain, request));
    });
  }

  const schema = {
    params: object({ name: string() }),
    headers: { type: "object", not: { type: "object", required: ["X-Debug"] } },
    querystring: { type: "object", properties: { page: { type: "integer" } } },
  };
  app.get("/pages/:name", { schema }, async ({ params, query }) => ({ name: params.name, query }));

  test("may be a Standard Schema in any part, also beside JSON Schemas", async () => {
    const answer = await app.inject("/pages/first?page=2");
    assert.deepEqual([answer.statusCode, answer.json()], [200, { name: "first", query: { page: 2 } }]);
    assert.equal((await app.inject("/pages/first?page=x")).statusCode, 400);
    assert.equal((await app.inject({ url: "/pages/first", ...sent("x-debug") })).statusCode, 400);
  });

  test("has the result that the app's options for Ajv give it, also beside a Standard Schema", async () => {
    const app = Fastify({ ajv: { customOptions: { coerceTypes: false } } });
    await app.register(core);
    app.post("/mixed/:name", { schema: { params: object({ name: string() }), body } }, async (request) => request.body);
    const send = (payload: object) => app.inject({ method: "POST", url: "/mixed/first", payload });
    assert.deepEqual((await send({ count: 5 })).json(), { count: 5 });
    assert.equal((await send({ count: "5" })).statusCode, 400);
  });

  test("does not need the compilers that an owner has set, in a resource", async () => {
    const app = await openApp((parts) =>
      createApp(parts).then((app) => app.setValidatorCompiler(() => () => ({ error: new Error("not theirs") }))),
    );
    const { statusCode } = await app.inject({ method: "POST", url: "/items", payload: { name: "one" } });
    assert.equal(statusCode, 201);
  });

  test("of a query names the parameter that is wrong", async () => {
    const app = await openApp(createApp);
    const querystring = object({ page: string() });
    app.get("/schemas/query", { schema: { querystring } }, async () => ({}));
    const { code, errors } = (await app.inject("/schemas/query?page=1&page=2")).json();
    assert.deepEqual([code, errors[0].parameter], ["invalid_query", "page"]);
  });

  test("has what is not JSON refused with what to send", async () => {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
      const headers = { "content-type": type };
      const { statusCode, json } = await app.inject({ method: "POST", url: "/items", headers, payload: "name=x" });
      assert.deepEqual([statusCode, json().detail], [415, "Send Content-Type: application/json, in UTF-8."]);
    }
  });

  await app.register(async (plugin) => {
    plugin.get("/awaited", async (request) => ({ hasCaller: "caller" in request }));
  });

  test("does not depend on whether its plugin was awaited", async () => {
    assert.deepEqual((await app.inject("/awaited")).json(), { hasCaller: true });
  });

  test("of any library also decides what an answer has", async () => {
    const app = await openApp(createApp);
    const response = { 200: object({ name: string() }) };
    app.get("/schemas/answer", { schema: { response } }, async () => ({ name: "a", secret: "b" }));
    app.get("/schemas/wrong", { schema: { response } }, async () => ({ name: 1 }) as never);
    assert.deepEqual((await app.inject("/schemas/answer")).json(), { name: "a" });
    assert.equal((await app.inject("/schemas/wrong")).statusCode, 500);
  });

  test("of a resource is not shown to @fastify/swagger, which knows JSON Schemas only", async () => {
    const added: RouteOptions[] = [];
    await openApp(async (parts) => {
      const app = Fastify();
      await app.register(core);
      app.addHook("onRoute", (route) => void added.push(route));
      return app.register(routes, { parts });
    });
    const shown = added.flatMap(({ url, schema, config = {} }) => {
      const { swaggerTransform: transform } = config as { swaggerTransform?(): { schema: object } };
      return url.startsWith("/items") && schema ? [transform?.().schema ?? schema] : [];
    });
    assert.ok(shown.length > 2);
    assert.deepEqual(new Set(shown.map((schema) => JSON.stringify(schema))), new Set(["{}"]));
  });

  test("of any library leaves JSON Schemas of other answers to Fastify, with the app's options", async () => {
    const app = Fastify({ serializerOpts: { rounding: "ceil" } });
    await app.register(core);
    app.addSchema({ $id: "user", type: "object", properties: { id: { type: "integer" } } });
    const response = { 200: object({ name: string() }), 201: { $ref: "user#" } };
    const user = { id: 1.5, password: "secret" };
    app.get("/schemas/both", { schema: { response } }, async (_request, reply) => reply.code(201).send(user as never));
    assert.deepEqual((await app.inject("/schemas/both")).json(), { id: 2 });
  });

  test("of any library tells an error handler what is wrong", async () => {
    const app = await openApp(createApp);
    app.register(async (plugin) => {
      plugin.setErrorHandler<{ validation?: unknown[] }>(async ({ validation }) => ({ faults: validation?.length }));
      plugin.post("/schemas/handled", { schema: { body: object({ name: string() }) } }, async () => ({}));
    });
    const { json } = await app.inject({ method: "POST", url: "/schemas/handled", payload: {} });
    assert.deepEqual(json(), { faults: 1 });
  });

  test("of a list does so, too", async () => {
    const app = await openApp(createApp);
    const faults: unknown[] = [];
    app.addHook("onError", async (_request, _reply, { validation }) => {
      faults.push(...(validation ?? []));
    });
    assert.equal((await app.inject("/items?limit=0")).json().code, "invalid_query");
    assert.equal(faults.length, 1);
  });
});
