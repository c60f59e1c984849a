import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../kit/test/eventually.ts";
import { readSettings } from "../../src/core/environment.ts";
import { AppServer, createHttpServer, type Guard } from "../../src/core/http/server.ts";
import { logging } from "../../src/core/log.ts";
import { Problem } from "../../src/core/problem.ts";
import { coreSettings } from "../../src/core/start.ts";
import { Wire } from "../support/wire.ts";

const answer = { status: 307, headers: { Location: "/elsewhere" }, body: "elsewhere" };
const passed: string[] = [];

/** Each sees the request, unless one before it has answered or refused. */
const guards: Guard[] = [
  (_req, headers) => {
    headers["x-first"] = "1";
    headers["vary"] = "Origin";
  },
  (_req, _headers, path) => {
    if (path === "/refused") throw new Problem("bad_request", "Not like this.");
    return path === "/answered" ? answer : undefined;
  },
  (_req, headers, path) => {
    passed.push(path);
    headers["x-third"] = "1";
  },
];

describe("guards", () => {
  const appServer = new AppServer();
  const listener = (_req: IncomingMessage, res: ServerResponse) =>
    res.writeHead(200, { Vary: "Accept", "X-Third": "2" }).end("handled");
  const config = readSettings({ PORT: "0" }, (read) => coreSettings(read, []));
  const server = createHttpServer({ routes: [{ method: "*", pattern: "/*" }], listener }, config, appServer, guards);
  let url = "";
  before(async () => {
    logging.level = "silent";
    appServer.on("upgrade", (_req, socket: Socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\n\r\n"));
    url = `http://127.0.0.1:${await server.listen()}`;
  });
  after(() => server.drain());

  const ask = (path: string, method = "GET") =>
    fetch(url + path, { method, redirect: "manual", headers: { Connection: "close" } });

  test("set headers: a handler's own count more, but an answer depends on both values of Vary", async () => {
    const { headers } = await ask("/handled?x");
    assert.deepEqual(
      ["x-first", "x-third", "vary"].map((name) => headers.get(name)),
      ["1", "2", "Origin, Accept"],
    );
    assert.equal(passed.at(-1), "/handled");
  });

  test("refuse a request: those after it do not see it", async () => {
    const refused = await ask("/refused?x");
    assert.deepEqual(
      [refused.status, refused.headers.get("x-first"), refused.headers.get("x-third")],
      [400, "1", null],
    );
    assert.equal(((await refused.json()) as { detail: string }).detail, "Not like this.");
    assert.ok(!passed.includes("/refused"));
  });

  for (const method of ["GET", "HEAD", "POST"])
    test(`answer a request without a handler: ${method}`, async () => {
      const response = await ask("/answered", method);
      const { status, headers } = response;
      assert.deepEqual([status, headers.get("location"), headers.get("x-first")], [307, "/elsewhere", "1"]);
      assert.ok(headers.get("x-request-id"));
      assert.equal(await response.text(), method === "HEAD" ? "" : "elsewhere");
      assert.ok(!passed.includes("/answered"));
    });

  test("answer an upgrade, and end its connection", async () => {
    for (const [path, expected] of [
      ["/answered", /^HTTP\/1\.1 307 [\s\S]*\r\n\r\nelsewhere$/],
      ["/handled", /^HTTP\/1\.1 426 /],
    ] as const) {
      const wire = await Wire.open(url);
      wire.send(`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: Upgrade", "Upgrade: echo", "", "");
      await eventually(() => wire.socket.destroyed, "the end of the connection");
      assert.match(wire.received, expected);
    }
  });
});
