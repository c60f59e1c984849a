import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { core, toListener } from "../../../src/core/frameworks/fastify/connect.ts";
import { AppServer } from "../../../src/core/http/server.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

async function serveApp(add: (app: FastifyInstance) => void): Promise<string> {
  const server = new AppServer();
  const rewriteUrl = ({ url = "/" }) => url.replace("/old/", "/names/");
  const app = Fastify({ bodyLimit: 1000, serverFactory: () => server, rewriteUrl });
  await app.register(core);
  add(app);
  const running = createTestServer(await toListener(app), {}, server);
  after(() => running.drain());
  return `http://127.0.0.1:${await running.listen()}`;
}

describe("a not-found handler of a plugin", async () => {
  const url = await serveApp((app) => {
    app.register(
      async (v1) => {
        v1.setNotFoundHandler(async (request, reply) =>
          reply.code(404).send({ message: "not in v1", sent: request.body }),
        );
        v1.get("/ping", async () => ({}));
        v1.post("/login", async () => ({}));
      },
      { prefix: "/v1" },
    );
  });
  const send = async (method: string, path: string, body?: string) => {
    const headers = { ...credentials, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    return { status: response.status, allow: response.headers.get("allow"), body: (await response.json()) as object };
  };

  test("gets no body of a method that the path does not have: it is 405, whatever was sent", async () => {
    for (const [method, body] of [["QUERY"], ["POST", "{"], ["PUT", `"${"x".repeat(2000)}"`], ["DELETE"]] as const) {
      const { status, allow } = await send(method, "/v1/ping", body);
      assert.deepEqual([status, allow], [405, "GET, HEAD, OPTIONS"], method);
    }
  });

  test("answers at paths that do not exist, and reads with a GET", async () => {
    const { status, body } = await send("POST", "/v1/nowhere", '{"a":1}');
    assert.equal(status, 404);
    assert.partialDeepStrictEqual(body, { message: "not in v1", sent: { a: 1 } });
    assert.equal((await send("GET", "/v1/login")).status, 405);
  });
});

test("the log names the route that the router has found: with an empty parameter, or at a path that was rewritten", async () => {
  const url = await serveApp((app) => {
    app.register(
      async (names) => {
        names.get("/:name", async (request, reply) => reply.code(404).send(request.params));
        names.post("/", async () => ({}));
      },
      { prefix: "/names" },
    );
  });
  const lines = await logLines(async () => {
    for (const path of ["/names/", "/names/x", "/old/x"]) {
      const { status } = await fetch(url + path, { headers: credentials });
      assert.equal(status, 404, "what the handler answers");
    }
  });
  assert.deepEqual(
    lines.map(({ route }) => route),
    ["/names/:name", "/names/:name", "/names/:name"],
  );
});
