import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Hono } from "hono";
import { validator } from "hono/validator";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { jsonBody, sendProblem, sValidator, toListener } from "../../../src/core/frameworks/hono/connect.ts";
import { bodyLimit } from "../../../src/core/http/routes.ts";
import { exactly } from "../../../src/core/resource.ts";
import { createTestServer } from "../../support/server.ts";

const server = createTestServer(toListener(createApp()));
const url = `http://127.0.0.1:${await server.listen()}`;
after(() => server.drain());

const reached = {
  "by the server": (path: string, init: RequestInit) => fetch(url + path, init),
  "in a test without it": async (path: string, init: RequestInit) => createApp().request(path, init),
};

for (const [how, request] of Object.entries(reached)) {
  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, type: string) => {
    const headers: Record<string, string> = { ...credentials, ...(type && { "Content-Type": type }) };
    const response = await request(path, { method: "POST", headers, body: new Blob([body]) });
    const json = (await response.json()) as { code?: string };
    return response.ok ? json : [response.status, json.code];
  };

  test(`an owner's route reads JSON of any type, ${how}`, async () => {
    const types = ["", "text/plain", "application/vnd.api+json", "application/json; charset=latin1"];
    for (const type of types) {
      assert.deepEqual(await post("/json", '{"a":1}', type), { a: 1 }, type);
      assert.deepEqual(await post("/json", '{"a":', type), [400, "malformed_json"], type);
    }
  });

  test(`a resource takes only JSON in UTF-8, ${how}`, async () => {
    for (const type of ["", "text/plain", "application/json; charset=latin1"])
      assert.deepEqual(await post("/strict", "{}", type), [415, "unsupported_media_type"], type);
    assert.deepEqual(await post("/strict", Buffer.from([0xff]), "application/json"), [400, "malformed_json"]);
  });

  test(`Hono's validator reads JSON of a type of its own, ${how}`, async () => {
    assert.deepEqual(await post("/validated", '{"a":1}', "application/vnd.api+json"), { a: 1 });
  });

  test(`a long body can be read as text and then as JSON, ${how}`, async () => {
    const text = "x".repeat(2_000_000);
    const expected = [text.length + 2, text.length];
    assert.deepEqual(await post("/text-first", JSON.stringify(text), "application/json"), expected);
  });
}

function createApp() {
  const app = new Hono().onError(sendProblem);
  app.use(jsonBody);
  app.post("/json", async (c) => c.json(await c.req.json()));
  app.post("/text-first", bodyLimit(5_000_000), async (c) => {
    const { length } = await c.req.text();
    return c.json([length, (await c.req.json()).length]);
  });
  app.post(
    "/validated",
    validator("json", (value) => value),
    (c) => c.json(c.req.valid("json")),
  );
  app.post("/strict", sValidator("json", exactly({})), (c) => c.json(c.req.valid("json")));
  return app;
}
