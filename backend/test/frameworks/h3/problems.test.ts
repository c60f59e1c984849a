import assert from "node:assert/strict";
import { after, test } from "node:test";
import { getValidatedQuery, HTTPError, onError, onResponse } from "h3";
import * as v from "valibot";
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

app.get("/busy", () => {
  throw new HTTPError({ status: 503, message: "Back soon", headers: { "retry-after": "30" } });
});
app.get("/plain", () => HTTPError.status(409));
app.get("/page", (event) => getValidatedQuery(event, v.object({ page: v.pipe(v.string(), v.digits()) })));
app.use(
  "/hooked/**",
  onResponse(() => {}),
);
app.post("/form", async ({ req }) => Object.fromEntries(await req.formData()));

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

test("a failure keeps the time after which it may be tried again, once", async () => {
  const response = await get("/busy");
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "30"]);
});

test("h3's words for a failure without a message are left out", async () => {
  const { code, detail } = (await (await get("/plain")).json()) as Record<string, unknown>;
  assert.deepEqual([code, detail], ["conflict", "Conflict."]);
});

test("a problem does not repeat the request, also if h3 has passed it to a hook", async () => {
  const text = await (await get("/hooked/unknown?secret=1")).text();
  assert.match(text, /"detail":"Nothing was found at this path\."/);
  assert.doesNotMatch(text, /secret/);
});

test("a parameter that a schema refuses is named as one", async () => {
  const { errors } = (await (await get("/page?page=x")).json()) as { errors: object[] };
  assert.deepEqual(errors.map(Object.keys), [["parameter", "detail"]]);
});

test("a form that is not well-formed is the client's fault", async () => {
  const headers = { ...credentials, "Content-Type": "multipart/form-data; boundary=x" };
  const lines = await logLines(async () => {
    const { status } = await fetch(`${url}/form`, { method: "POST", headers, body: "--y\r\nbroken" });
    assert.equal(status, 400);
  });
  assert.doesNotMatch(JSON.stringify(lines), /unexpectedly/);
});
