import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import express, { type Express } from "express";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { openApp } from "../../../kit/test/app.ts";
import { ask } from "../../../kit/test/ask.ts";
import { sendProblem, toListener } from "../../../src/core/frameworks/express/connect.ts";
import { createApp } from "../../../src/frameworks/express/app.ts";
import { logLines } from "../../support/log-lines.ts";
import { createTestServer } from "../../support/server.ts";

test("an error in an answer that has begun is logged once, and the answer is cut off", async () => {
  const app = express();
  const begin: express.RequestHandler = (_req, res) => {
    res.write("begun");
    throw new Error("in the stream");
  };
  app.get("/above", begin);
  app.use(sendProblem);
  app.get("/below", begin);
  const url = await serve(app);
  const lines = await logLines(async () => {
    await assert.rejects(ask(url, "GET", "/above"));
    await assert.rejects(ask(url, "GET", "/below"));
  });
  const messages = lines.flatMap(({ error }) => (error ? [(error as Error).message] : []));
  assert.deepEqual(messages, ["in the stream", "in the stream"]);
});

test("a handler that has begun to answer may call next, as on plain Express", async () => {
  const app = express();
  app.get("/begun", (_req, res, next) => {
    res.write("begun, ");
    next();
    setImmediate(() => res.end("ended"));
  });
  app.use(sendProblem);
  const url = await serve(app);
  assert.deepEqual(await ask(url, "GET", "/begun"), { status: 200, body: "begun, ended" });
});

test("an app that is mounted in another one does not name Express, either", async () => {
  const app = express();
  app.use(
    "/mounted",
    express().get("/page", (_req, res) => void res.send("page")),
  );
  const url = await serve(app);
  const { status, headers } = await fetch(`${url}/mounted/page`, { headers: { ...credentials } });
  assert.deepEqual([status, headers.get("x-powered-by")], [200, null]);
});

test("an answer that may be stored has an entity tag, and an owner's own setting stays", async () => {
  const readTags = async (setting?: string) => {
    const app = express();
    if (setting) app.set("etag", setting);
    app.get("/page", (_req, res) => void res.set("Cache-Control", "public").send("page"));
    app.get("/data", (_req, res) => void res.send("data"));
    const url = await serve(app);
    const answers = ["/page", "/data"].map((path) => fetch(url + path, { headers: { ...credentials } }));
    return (await Promise.all(answers)).map(({ headers }) => /^(W.)?"/.exec(headers.get("etag") ?? "")?.[0]);
  };
  assert.deepEqual(await readTags(), ['W/"', undefined]);
  assert.deepEqual(await readTags("strong"), ['"', '"']);
});

test("a path that was rewritten reaches the route with its body", async () => {
  const app = express();
  app.use((req, _res, next) => {
    req.url = req.url.replace("/v1/", "/");
    next();
  });
  app.use(await openApp(createApp));
  assert.equal((await ask(await serve(app), "POST", "/v1/items", { name: "Boat" })).status, 201);
});

test("a status that was set before an error is kept, as on plain Express", async () => {
  const app = express();
  app.get("/set", (_req, res) => {
    res.status(401);
    throw new Error("Who are you?");
  });
  app.get("/own", (_req, res, next) => {
    res.status(401);
    next(Object.assign(new Error("Gone"), { status: 410 }));
  });
  app.use(sendProblem);
  const url = await serve(app);
  const read = async (path: string) => {
    const { status, body } = await ask(url, "GET", path);
    return [status, body.code, body.detail];
  };
  assert.deepEqual(await read("/set"), [401, "unauthorized", "Who are you?"]);
  assert.deepEqual(await read("/own"), [410, "gone", "Gone."]);
});

test("a route of the owner below /webhooks gets its JSON", async () => {
  const app = await openApp(createApp);
  app.post("/webhooks/twilio", (req, res) => void res.json(req.body));
  const url = await serve(app);
  const json = { sid: "SM1" };
  assert.deepEqual(await ask(url, "POST", "/webhooks/twilio", json), { status: 200, body: json });
});

/** Starts the server around an app. */
async function serve(app: Express): Promise<string> {
  const server = createTestServer(toListener(app));
  after(() => server.drain());
  return `http://127.0.0.1:${await server.listen()}`;
}

test("the JSON of an own route may be compressed or missing, as with the parsers of packages; a resource refuses both", async () => {
  const app = await openApp(createApp);
  app.post("/notes", (req, res) => void res.json(req.body));
  const url = await serve(app);
  const send = async (path: string, body: Buffer | string, encoding = {}) => {
    const headers = { ...credentials, "Content-Type": "application/json", ...encoding };
    const response = await fetch(url + path, { method: "POST", headers, body: body as string });
    return [response.status, await response.json()] as [number, { code: string }];
  };
  const gzip = { "Content-Encoding": "gzip" };
  assert.deepEqual(await send("/notes", gzipSync('{"name":"x"}'), gzip), [200, { name: "x" }]);
  assert.deepEqual(await send("/notes", ""), [200, {}]);
  const failures: Parameters<typeof send>[] = [
    ["/notes", gzipSync(JSON.stringify("x".repeat(200_000))), gzip],
    ["/notes", "junk", gzip],
    ["/notes", "{}", { "Content-Encoding": "own" }],
    ["/items", gzipSync('{"name":"x"}'), gzip],
    ["/items", "", {}],
  ];
  const codes = [];
  for (const failure of failures) codes.push((await send(...failure))[1].code);
  const refused = [
    "body_too_large",
    "bad_request",
    "unsupported_media_type",
    "unsupported_media_type",
    "malformed_json",
  ];
  assert.deepEqual(codes, refused);
});

test("an app of connect is no router of Express", async () => {
  const app = await openApp(createApp);
  // As connect has it.
  const mounted = Object.assign((_req: IncomingMessage, res: ServerResponse) => void res.end("of connect"), {
    stack: [{ route: "/a", handle: () => {} }],
  });
  app.use("/mounted", mounted);
  const url = await serve(app);
  assert.deepEqual(await ask(url, "GET", "/mounted/a"), { status: 200, body: "of connect" });
});

test("If-None-Match: * matches an answer that has a tag, as on plain Express, and no other", async () => {
  const app = await openApp(createApp);
  app.get("/tagged", (_req, res) => void res.set("ETag", '"a"').set("Cache-Control", "max-age=5").send("tagged"));
  const url = await serve(app);
  // Without the second one, `fetch` would ask for an answer that is not cached.
  const headers = { ...credentials, "If-None-Match": "*", "Cache-Control": "max-age=0" };
  const statuses = ["/tagged", "/items"].map(async (path) => (await fetch(url + path, { headers })).status);
  assert.deepEqual(await Promise.all(statuses), [304, 200]);
});
