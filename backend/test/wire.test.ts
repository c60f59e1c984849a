import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { Wire } from "../kit/suite/wire.ts";

const server = createServer((req, res) => {
  res.writeEarlyHints({ link: "</style.css>; rel=preload" });
  res.writeProcessing();
  req.resume().once("end", () => res.end("done"));
}).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test("the suite passes over informational answers, whatever is asked", async () => {
  const wire = new Wire(url);
  for (const method of ["GET", "HEAD", "GET"]) {
    const { status, body } = await wire
      .send(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`)
      .reply({ isHead: method === "HEAD" });
    assert.deepEqual([status, body], [200, method === "HEAD" ? "" : "done"]);
  }
  wire.end();
});

test("the suite sees the 100 that a request waits for", async () => {
  const wire = new Wire(url);
  wire.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  assert.equal((await wire.reply()).status, 100);
  assert.equal((await wire.send("x").reply()).status, 200);
  wire.end();
});
