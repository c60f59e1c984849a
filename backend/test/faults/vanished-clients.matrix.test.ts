import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Backend } from "../../kit/test/backend.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { create, listAll } from "../support/client.ts";
import { oneOfEachKind } from "../support/matrix.ts";
import { authorization, creationHead, Wire } from "../support/wire.ts";

const body = '{"name":"unclaimed"}';
const requests = {
  "half a creation": [...creationHead(body.length), body.slice(0, 5)],
  "half a chunked creation": [...creationHead(0).with(3, "Transfer-Encoding: chunked"), "5", body.slice(0, 5), ""],
  "a creation": [...creationHead(body.length), body],
  "half of the headers": creationHead(body.length).slice(0, 2),
  "a listing": ["GET /items?limit=100 HTTP/1.1", "Host: localhost", authorization, "", ""],
};
const disconnects = {
  end: (wire: Wire) => wire.socket.end(),
  destroy: (wire: Wire) => wire.socket.destroy(),
  reset: (wire: Wire) => wire.socket.resetAndDestroy(),
};

describe("a client that disconnects is not an error, and the backend continues", {
  concurrency: 2,
  timeout: 120_000,
}, () => {
  for (const framework of oneOfEachKind)
    test(framework, async () => {
      const url = await newSqliteFile();
      using backend = await Backend.start({ FRAMEWORK: framework, DATABASE_URL: url });
      let stderr = "";
      backend.process.stderr?.on("data", (text) => (stderr += text));
      using lock = new DatabaseSync(fileURLToPath(url));
      lock.exec("BEGIN IMMEDIATE");
      const wires = await Promise.all(Object.values(requests).flatMap((request) => sendThrice(backend.url, request)));
      await sleep(100);
      for (const [index, disconnect] of Object.values(disconnects).entries())
        for (const wire of wires.filter((_, each) => each % 3 === index)) disconnect(wire);
      await sleep(100);
      lock.exec("ROLLBACK");

      assert.equal((await create(backend.url, "claimed")).status, 201);
      assert.ok((await listAll(backend.url)).some(({ name }) => name === "claimed"));
      assert.equal(await backend.stop(), 0);
      const lines = backend.logged.map((line) => JSON.parse(line));
      assert.ok(lines.some(({ status }) => status === "aborted"));
      assert.deepEqual(
        lines.filter(({ level, status }) => level === "error" || level === "warn" || status >= 500),
        [],
      );
      assert.equal(stderr, "");
    });
});

function sendThrice(url: string, request: string[]): Promise<Wire>[] {
  return Object.keys(disconnects).map(async () => {
    const wire = await Wire.open(url);
    wire.send(...request);
    return wire;
  });
}
