import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Elysia, file, status } from "elysia";
import { credentials } from "../../../kit/suite/auth/tokens.ts";
import { node } from "../../../src/core/frameworks/elysia/connect.ts";
import { createElysiaServer } from "../../support/elysia.ts";
import { logLines } from "../../support/log-lines.ts";

test("status() may answer without a body, in a handler, in a hook, and thrown", async () => {
  const app = new Elysia({ adapter: node() })
    .get("/no-content", () => status(204))
    .get("/header", ({ set }) => {
      set.headers["x-one"] = "yes";
      return status(304);
    })
    .get("/named", ({ set }) => {
      set.status = "No Content";
    })
    .get("/hook", () => ({}), { beforeHandle: () => status(304) })
    .get("/thrown", () => {
      throw status(304);
    });
  for (const [path, expected] of [
    ["/no-content", 204],
    ["/header", 304],
    ["/named", 204],
    ["/hook", 304],
    ["/thrown", 304],
  ] as const) {
    const response = await app.handle(new Request(`http://localhost${path}`));
    assert.deepEqual([response.status, response.body], [expected, null], path);
    assert.equal(response.headers.get("x-one"), path === "/header" ? "yes" : null);
  }
});

test("file() answers a part of a file, in a handler and in a hook", async () => {
  const path = import.meta.filename;
  const app = new Elysia({ adapter: node() })
    .get("/file", () => file(path))
    .get("/header", ({ set }) => {
      set.headers["x-one"] = "yes";
      return file(path);
    })
    .get("/hook", () => ({}), { beforeHandle: () => file(path) })
    .get("/none", () => file("none.txt"));
  const ask = (path: string, range: string) =>
    app.handle(new Request(`http://localhost${path}`, { headers: { range: `bytes=${range}` } }));
  for (const path of ["/file", "/header", "/hook"]) {
    const part = await ask(path, "7-12");
    assert.deepEqual([part.status, await part.text(), part.headers.get("content-length")], [206, "assert", "6"], path);
    assert.match(part.headers.get("content-range") ?? "", /^bytes 7-12\/\d+$/);
    const beyond = await ask(path, "999999-");
    assert.deepEqual([beyond.status, beyond.headers.get("content-range")?.slice(0, 8)], [416, "bytes */"], path);
  }
  await assert.rejects(async () => ask("/none", "0-1"), /ENOENT/);
});

test("file() is a success in the log, also if the client closes after the last byte", async () => {
  const app = new Elysia({ adapter: node() }).get("/file", () => file(import.meta.filename));
  const server = await createElysiaServer(app);
  const url = `http://127.0.0.1:${await server.listen()}/file`;
  const lines = await logLines(async () => {
    for (let time = 0; time < 40; time++) {
      const answer = await fetch(url, { headers: { ...credentials, connection: "close" } });
      assert.match(await answer.text(), /^import assert/);
      assert.equal(answer.headers.get("content-type"), "application/typescript");
    }
    await server.drain();
  });
  assert.deepEqual(
    lines.filter(({ status }) => status !== 200),
    [],
  );
});

test("HEAD of a stream is answered at once, without a length", { timeout: 20_000 }, async () => {
  let ended = 0;
  async function* tick() {
    try {
      for (;;) {
        yield "tick";
        await sleep(1000);
      }
    } finally {
      ended++;
    }
  }
  const app = new Elysia({ adapter: node() })
    .get("/generated", tick)
    .get("/read", () => ReadableStream.from(tick()))
    .get("/text", () => "some text");
  const server = await createElysiaServer(app);
  const url = `http://127.0.0.1:${await server.listen()}`;
  for (const [path, length] of [
    ["/generated", null],
    ["/read", null],
    ["/text", "9"],
  ] as const) {
    const { status, headers } = await fetch(url + path, { method: "HEAD", headers: credentials });
    assert.deepEqual([status, headers.get("content-length")], [200, length], path);
  }
  await server.drain();
  assert.equal(ended, 2);
});
