import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";

const shared = { Vary: "Accept", "Set-Cookie": ["a=1", "b=2"], "Cache-Control": "private" };

const writers: Record<string, (res: ServerResponse) => void> = {
  "set one by one": (res) => {
    for (const [name, value] of Object.entries(shared)) res.setHeader(name, value);
  },
  "written as an object that others use too": (res) => res.writeHead(200, shared),
  "written as names and values in turn": (res) =>
    res.writeHead(200, ["Vary", "Accept", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "Cache-Control", "private"]),
  "set and written": (res) => {
    res.setHeader("Set-Cookie", shared["Set-Cookie"]);
    res.writeHead(200, "Fine", { vary: "Accept", "cache-control": "private" });
  },
};

describe("headers of an answer", () => {
  let write: (res: ServerResponse) => void = () => {};
  const app = {
    routes: [{ method: "GET", pattern: "/" }],
    listener: (_req: unknown, res: ServerResponse) => {
      write(res);
      res.end("fine");
    },
  };
  const server = createTestServer(app);
  let url = "";
  before(async () => {
    logging.level = "silent";
    url = `http://127.0.0.1:${await server.listen()}/`;
  });
  after(() => server.drain());

  for (const [way, writer] of Object.entries(writers))
    test(`stay beside ours, and none is sent twice: ${way}`, async () => {
      write = writer;
      for (const id of ["first", "second"]) {
        const answer = await fetch(url, { headers: { ...credentials, "X-Request-Id": id, Connection: "close" } });
        assert.equal(await answer.text(), "fine");
        assert.equal(answer.headers.get("vary"), "Origin, Accept");
        assert.deepEqual(answer.headers.getSetCookie(), ["a=1", "b=2"]);
        assert.equal(answer.headers.get("cache-control"), "private");
        assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
        assert.equal(answer.headers.get("x-request-id"), id);
      }
    });
});
