import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { after, describe, test } from "node:test";
import { Elysia, status, t } from "elysia";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { node, type WithProblems } from "../../../src/core/frameworks/elysia/connect.ts";
import { createElysiaServer } from "../../support/elysia.ts";

const json = { "content-type": "application/json" };
const Body = t.Object({ n: t.Number() });

function createOwn() {
  return new Elysia({ adapter: node() })
    .get("/nobody", () => status(404, "Nobody is here."))
    .get("/taken", () => status(409, { error: "taken", holder: 7 }))
    .get("/busy", () => status(503, { secret: true }))
    .get("/moved", () => status(302, "moved"))
    .get("/stream", ({ set }) => {
      set.headers["x-more"] = "1";
      return new Blob(["stream"]).stream();
    })
    .get("/set", ({ set }) => {
      set.status = "Not Found";
      throw new Error("nope");
    })
    .get("/own", ({ set }) => {
      set.status = 404;
      throw Object.assign(new Error("taken"), { status: 409 });
    })
    .get("/search", ({ query }) => query, { query: t.Object({ n: t.Number() }) })
    .post("/optional", ({ body }) => ({ body: body ?? null }), { body: t.Optional(Body), parse: "json" })
    .post("/maybe", ({ body }) => ({ body: body ?? null }), { body: t.Optional(Body) })
    .post("/body", ({ body }) => body, { body: Body })
    .post(
      "/text",
      () => {
        throw new Error("broken");
      },
      { parse: "text" },
    );
}

type Own = WithProblems<ReturnType<typeof createOwn>>["~Routes"];
type Taken = Own["taken"]["get"]["response"][409];
type Nobody = Own["nobody"]["get"]["response"][404];
type Refused = Own["body"]["post"]["response"][422];

describe("an owner's route in Elysia", async () => {
  const app = createOwn();
  const server = await createElysiaServer(app);
  const url = `http://127.0.0.1:${await server.listen()}`;
  after(() => server.drain());
  const fetchAnswer = (path: string, method = "GET") => fetch(url + path, { method, headers: { ...credentials } });
  const ask = (path: string, init?: RequestInit) => app.handle(new Request(`http://localhost${path}`, init));
  const post = (path: string, body?: string | FormData, headers: Record<string, string> = json) =>
    ask(path, { method: "POST", headers, ...(body !== undefined && { body }) });

  test("answers failures as problems, which a typed client reads as such", async () => {
    const taken = (await (await fetchAnswer("/taken")).json()) as Taken;
    assert.deepEqual([taken.code satisfies string, taken.holder satisfies number], ["conflict", 7]);
    const error: string = taken.error;
    assert.equal(error, "taken");
    const nobody = (await (await fetchAnswer("/nobody")).json()) as Nobody;
    assert.equal(nobody.detail satisfies string, "Nobody is here.");
    const { errors } = (await (await post("/body", "{}")).json()) as Refused;
    assert.equal(errors?.[0]?.pointer, "#/n");
    // @ts-expect-error: Elysia would send it, a problem does not have it.
    assert.ok((refused: Refused) => refused.summary);
    // @ts-expect-error: nothing of the inside is sent with a fault of the server.
    assert.ok((busy: Own["busy"]["get"]["response"][503]) => busy.secret);
    assert.ok("moved" satisfies Own["moved"]["get"]["response"][302]);
  });

  test("fails with the status that it has set, if the error has none", async () => {
    assert.equal((await ask("/set")).status, 404);
    assert.equal((await ask("/own")).status, 409);
  });

  test("may get no body where its schema says so, but no malformed one", async () => {
    for (const path of ["/optional", "/maybe"]) {
      for (const none of [undefined, ""]) {
        const response = await post(path, none);
        assert.deepEqual([response.status, await response.json()], [200, { body: null }], path);
      }
      assert.deepEqual(await (await post(path, '{"n":1}')).json(), { body: { n: 1 } });
      assert.deepEqual([(await post(path, "{")).status, (await post(path, '{"n":"1"}')).status], [400, 422]);
    }
    assert.equal((await post("/optional", undefined, {})).status, 200);
    assert.equal((await post("/body", "")).status, 400);
  });

  test('reads JSON of any type with parse: "json"', async () => {
    const response = await post("/optional", '{"n":1}', { "content-type": "text/plain" });
    assert.deepEqual([response.status, await response.json()], [200, { body: { n: 1 } }]);
  });

  test("fails with a problem after any reader has read the body, also without a server", async () => {
    const form = new FormData();
    form.set("n", "x");
    assert.equal((await post("/body", form, {})).status, 422);
    const type = { "content-type": "application/x-www-form-urlencoded" };
    assert.equal((await post("/body", "n=x", type)).status, 422);
    assert.equal((await post("/text", "text", { "content-type": "text/plain" })).status, 500);
  });

  test("may answer with a stream, which is framed once", async () => {
    const { headers } = await ask("/stream");
    assert.deepEqual(
      ["x-more", "transfer-encoding", "connection"].map((name) => headers.get(name)),
      ["1", null, null],
    );
    assert.equal(await (await fetchAnswer("/stream")).text(), "stream");
    assert.equal((await fetchAnswer("/stream", "HEAD")).status, 200);
  });

  test("has a fault in its query named as a parameter", async () => {
    const response = await ask("/search?n=x");
    const { errors } = (await response.json()) as { errors: { parameter: string }[] };
    assert.deepEqual([response.status, errors[0]?.parameter], [422, "n"]);
  });
});

test("onStart hooks run once the server listens", async () => {
  const started: string[] = [];
  const app = new Elysia({ adapter: node() })
    .onStart(() => void started.push("own"))
    .use(new Elysia().onStart(() => void started.push("plugin")));
  const server = await createElysiaServer(app);
  assert.deepEqual(started, []);
  await server.listen();
  await server.drain();
  assert.deepEqual(started, ["own", "plugin"]);
});

test("a short host hides nothing of the path, whatever the app's options are", async () => {
  const app = new Elysia({ adapter: node(), aot: false })
    .get("/pub/:page", () => "page", { response: t.String() })
    .get("/admin", () => "admin");
  const server = await createElysiaServer(app);
  const port = await server.listen();
  after(() => server.drain());
  for (const host of ["a", "abc", "localhost"]) {
    const headers = { ...credentials, host };
    const [answer] = await once(get({ port, path: "/pub/admin", headers, agent: false }), "response");
    assert.equal(await new Response(answer).text(), "page", host);
  }
});
