import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Elysia, t, validationDetail } from "elysia";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { node } from "../../../src/core/frameworks/elysia/connect.ts";
import { createElysiaServer } from "../../support/elysia.ts";
import { logLines } from "../../support/log-lines.ts";

test("a value that is thrown is logged as an error is, and the hooks of onError get it as it is", async () => {
  const caught: unknown[] = [];
  const app = new Elysia({ adapter: node() })
    .onError(({ error }) => void caught.push(error))
    .get("/thrown", () => {
      throw new Error("thrown");
    })
    .get("/text", () => {
      throw "text";
    })
    .get("/object", () => {
      throw { dsn: "postgres://fake" };
    })
    .get("/teapot", () => {
      throw { status: 418, message: "I am a teapot" };
    })
    .onRequest(({ request }) => {
      if (request.url.endsWith("/early")) throw { dsn: "postgres://fake" };
    })
    .get("/early", () => "never")
    .get("/later", async () => {
      await null;
      throw "later";
    });
  const server = await createElysiaServer(app);
  const url = `http://127.0.0.1:${await server.listen()}`;
  after(() => server.drain());
  const lines = await logLines(async () => {
    for (const path of ["/thrown", "/text", "/later", "/object", "/early"]) {
      const response = await fetch(url + path, { headers: { ...credentials } });
      assert.deepEqual([response.status, response.headers.get("content-type")], [500, "application/problem+json"]);
      const body = await response.text();
      assert.equal(JSON.parse(body).code, "internal_error");
      assert.doesNotMatch(body, /postgres/);
    }
    assert.equal((await fetch(`${url}/teapot`, { headers: { ...credentials } })).status, 418);
  });
  assert.deepEqual(caught.slice(1, 3), ["text", "later"]);
  assert.deepEqual(
    lines.filter((line) => "error" in line).map(({ error }) => (error as Error | undefined)?.message),
    [
      "thrown",
      "non-error thrown: 'text'",
      "non-error thrown: 'later'",
      "non-error thrown: { dsn: 'postgres://fake' }",
      "non-error thrown: { dsn: 'postgres://fake' }",
    ],
  );
});

test("what a function of a schema says about a fault reaches the client", async () => {
  const note = (error: () => unknown) => ({ body: t.Object({ x: t.Number({ error }) }) });
  const app = new Elysia({ adapter: node() })
    .post(
      "/text",
      () => "",
      note(() => "x must be a number, please"),
    )
    .post(
      "/object",
      () => "",
      note(() => ({ code: "bad_x", message: "is off" })),
    )
    .post("/detail", () => "", note(validationDetail("is not numeric") as () => unknown))
    .get("/query", () => "", { query: t.Object({ n: t.Number({ minimum: 2 }) }) });
  const server = await createElysiaServer(app);
  const url = `http://127.0.0.1:${await server.listen()}`;
  after(() => server.drain());
  const headers = { ...credentials, "Content-Type": "application/json" };
  const read = async (response: Response) =>
    (await response.json()) as { code: string; detail: string; errors?: object };
  const send = async (path: string) => read(await fetch(url + path, { method: "POST", headers, body: '{"x":"a"}' }));
  const details = ["/text", "/object", "/detail"].map(async (path) => (await send(path)).detail);
  assert.deepEqual(await Promise.all(details), ["x must be a number, please", "x is off", "x is not numeric"]);
  assert.equal((await send("/object")).code, "bad_x");
  const { detail, errors } = await read(await fetch(`${url}/query?n=1`, { headers }));
  assert.deepEqual([/greater or equal to 2/.test(detail), errors], [true, undefined]);
});
