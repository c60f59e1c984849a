import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HTTPError, onError } from "h3";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { toListener } from "../../../src/core/frameworks/h3/connect.ts";
import { createApp } from "../../../src/frameworks/h3/app.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

const app = await openApp(createApp);
app.get("/taken", () => {
  throw new HTTPError({ status: 409, message: "taken", data: { by: "x" }, body: { since: 1 } });
});
app.get("/moved", () => {
  throw new HTTPError({ status: 302, headers: { Location: "/health" } });
});
app.get("/thrown", () => {
  throw Object.assign(new Error("inner secret"), { status: 302, headers: { Location: "/health" } });
});

app.use(
  "/texts/**",
  onError(() => {}),
);
app.get("/texts/thrown", () => {
  throw "a thrown text";
});

const server = createTestServer(toListener(app));
const url = `http://127.0.0.1:${await server.listen()}`;
after(() => server.drain());
const get = (path: string) => fetch(url + path, { headers: { ...credentials }, redirect: "manual" });

test("the data and the body of an HTTPError are members of the problem", async () => {
  const response = await get("/taken");
  const { code, detail, data, since } = (await response.json()) as Record<string, unknown>;
  assert.deepEqual([response.status, code, detail], [409, "conflict", "taken"]);
  assert.deepEqual([data, since], [{ by: "x" }, 1]);
});

test("an HTTPError that is a redirect is answered by h3", async () => {
  const response = await get("/moved");
  assert.deepEqual([response.status, response.headers.get("location")], [302, "/health"]);
});

test("another error with such a status is a 500 that tells nothing", async () => {
  const response = await get("/thrown");
  assert.deepEqual([response.status, response.headers.get("location")], [500, null]);
  assert.doesNotMatch(await response.text(), /inner secret/);
});

test("a text that is thrown is logged, also if h3 has passed it to a hook", async () => {
  const lines = await logLines(async () => assert.equal((await get("/texts/thrown")).status, 500));
  assert.match(JSON.stringify(lines), /a thrown text/);
});
