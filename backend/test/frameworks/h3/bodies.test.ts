import assert from "node:assert/strict";
import { after, test } from "node:test";
import { defineJsonRpcHandler, readBody, readValidatedBody } from "h3";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { jsonOnly, refuse, toListener } from "../../../src/core/frameworks/h3/connect.ts";
import { exactly } from "../../../src/core/resource.ts";
import { createApp } from "../../../src/frameworks/h3/app.ts";
import { createTestServer } from "../../support/server.ts";

const server = createTestServer(toListener(await openOwnApp()));
const url = `http://127.0.0.1:${await server.listen()}`;
const withoutServer = await openOwnApp();
after(() => server.drain());

const reached = {
  "by the server": (path: string, init: RequestInit) => fetch(url + path, init),
  "in a test without it": async (path: string, init: RequestInit) => withoutServer.request(path, init),
};

for (const [how, request] of Object.entries(reached)) {
  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, type = "application/json", more = {}) => {
    const headers: Record<string, string> = { ...credentials, ...(type && { "Content-Type": type }), ...more };
    const response = await request(path, { method: "POST", headers, body: new Blob([body]) });
    const text = await response.text();
    return response.ok ? text : [response.status, JSON.parse(text).code];
  };

  test(`text is read as it was sent, whatever its type, ${how}`, async () => {
    for (const path of ["/text", "/read-text"])
      for (const body of ['{"a":1}\n{"a":2}', "{", ""]) {
        assert.equal(await post(path, body), `text: ${body}`, path);
        assert.equal(await post(path, body, "application/json; charset=latin1"), `text: ${body}`, path);
        assert.equal(await post(path, body, "application/json", { "Content-Encoding": "identity" }), `text: ${body}`);
      }
  });

  test(`an empty body is read as nothing, ${how}`, async () => {
    assert.equal(await post("/read", ""), "undefined");
    assert.equal(await post("/read", '{"a":1}'), '{"a":1}');
  });

  test(`malformed JSON is a 400 for every reader, and of every type, ${how}`, async () => {
    for (const path of ["/read", "/json"])
      for (const type of ["", "text/plain", "application/json", "application/json; charset=latin1"])
        assert.deepEqual(await post(path, '{"a":', type), [400, "malformed_json"], `${path} ${type}`);
  });

  test(`JSON-RPC answers malformed JSON in its own form, ${how}`, async () => {
    const answer = await post("/rpc", "{");
    assert.equal(JSON.parse(String(answer)).error?.code, -32700, String(answer));
  });

  test(`a resource takes only JSON in UTF-8, and no empty body, ${how}`, async () => {
    for (const type of ["", "text/plain", "application/json; charset=latin1"])
      assert.deepEqual(await post("/strict", "{}", type), [415, "unsupported_media_type"], type);
    for (const body of ["", "{", Buffer.from([0x22, 0xff, 0x22])])
      assert.deepEqual(await post("/strict", body), [400, "malformed_json"]);
    assert.equal(await post("/strict", "{}"), "{}");
  });
}

async function openOwnApp() {
  const app = await openApp(createApp);
  app.post("/text", async ({ req }) => `text: ${await req.text()}`);
  app.post("/read-text", async (event) => `text: ${await readBody(event, { type: "text" })}`);
  app.post("/read", async (event) => String(JSON.stringify(await readBody(event))));
  app.post("/json", async ({ req }) => await req.json());
  app.post("/rpc", defineJsonRpcHandler({ methods: {} }));
  app.post("/strict", async (event) => readValidatedBody(event, exactly({}), { onError: refuse }), {
    middleware: [jsonOnly],
  });
  return app;
}
