import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backend } from "../../kit/test/backend.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { get } from "../support/client.ts";
import { firstIn } from "../support/matrix.ts";
import { creationHead, Wire } from "../support/wire.ts";

const limits = { HEADERS_TIMEOUT_MS: 1000, REQUEST_TIMEOUT_MS: 2000 };
const noticedWithinMs = 2000;
const noiseMs = 15_000;

describe("a request that arrives too slowly is ended in time with a 408", { concurrency: 4, timeout: 120_000 }, () => {
  for (const framework of firstIn("hono"))
    test(framework, async () => {
      using backend = await Backend.start({
        FRAMEWORK: framework,
        DATABASE_URL: await newSqliteFile(),
        HEADERS_TIMEOUT_MS: String(limits.HEADERS_TIMEOUT_MS),
        REQUEST_TIMEOUT_MS: String(limits.REQUEST_TIMEOUT_MS),
      });
      const { url } = backend;
      const cuts = Promise.all([
        isCut(url, limits.HEADERS_TIMEOUT_MS, ["GET /items HTTP/1.1", "Host: localhost", "X-Slow: "], "x"),
        isCut(url, limits.REQUEST_TIMEOUT_MS, [...creationHead(100), '{"name":"'], "x"),
        isCut(url, limits.REQUEST_TIMEOUT_MS, [...creationHead(100), '{"name":"']),
        isCut(url, limits.REQUEST_TIMEOUT_MS, [...chunkedHead, "1", "{", ""], "1\r\n \r\n"),
        secondRequestIsCut(url),
      ]);
      assert.equal((await get(url, "/items")).status, 200);
      await cuts;
      assert.equal((await get(url, "/items")).status, 200);
    });
});

const chunkedHead = creationHead(0).map((line) => line.replace("Content-Length: 0", "Transfer-Encoding: chunked"));

async function isCut(url: string, limitMs: number, start: string[], drop?: string): Promise<void> {
  const wire = await Wire.open(url);
  await trickles(wire, limitMs, start, drop);
  assert.equal(wire.received.split("HTTP/1.1 ").length, 2);
}

async function secondRequestIsCut(url: string): Promise<void> {
  const wire = await Wire.open(url);
  wire.send("GET /health HTTP/1.1", "Host: localhost", "", "");
  await wire.answers(1);
  await trickles(wire, limits.REQUEST_TIMEOUT_MS, [...creationHead(100), "{"], " ");
}

/** Sends the start of a request, and then small pieces (`drop`) if there are any, until the backend answers 408. */
async function trickles(wire: Wire, limitMs: number, start: string[], drop?: string): Promise<void> {
  const started = performance.now();
  wire.send(...start);
  const trickle = setInterval(() => drop && wire.send(drop), 200);
  const received = await wire.ended.finally(() => clearInterval(trickle));
  const tookMs = performance.now() - started;
  assert.match(received, /HTTP\/1\.1 408 Request Timeout\r\n/);
  assert.match(received, /Content-Type: application\/problem\+json\r\n/i);
  assert.match(received, /"code":"request_timeout"/);
  assert.ok(tookMs > limitMs * 0.9, `cut too early, after ${tookMs} ms`);
  assert.ok(tookMs < limitMs + noticedWithinMs + noiseMs, `cut too late, after ${tookMs} ms`);
}
