import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Backend, type Environment } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { create, get } from "../support/client.ts";
import { earlier, firstIn } from "../support/matrix.ts";
import { authorization, Wire } from "../support/wire.ts";

const listing = (limit: number) => `GET /items?limit=${limit} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`;

describe("many pipelined requests of a client that reads nothing", { concurrency: 2, timeout: 120_000 }, () => {
  for (const framework of firstIn("fastify"))
    test(`take little memory in ${framework}, and do not delay other clients`, async () => {
      using backend = await start({ FRAMEWORK: framework });
      for (let n = 0; n < 100; n++) await create(backend.url, "x".repeat(200));
      const before = residentBytes(backend);
      const wire = await Wire.open(backend.url);
      wire.socket.pause();
      wire.send(listing(100).repeat(1500));
      await sleep(1000);
      assert.equal((await get(backend.url, "/health")).status, 200);
      assert.ok(residentBytes(backend) - before < 150e6, `${residentBytes(backend) - before} bytes more`);
      wire.socket.destroy();
      assert.equal((await get(backend.url, "/items")).status, 200);
    });
});

describe("a connection that sends no request", { skip: earlier, timeout: 60_000 }, () => {
  test("is closed after KEEP_ALIVE_MS, even if it sends line breaks", async () => {
    using backend = await start({ KEEP_ALIVE_MS: "1000" });
    const wire = await Wire.open(backend.url);
    wire.send(listing(1));
    await wire.answers(1);
    using _ = every(200, () => wire.send("\r\n"));
    await wire.ended;
  });

  test("does not delay a stop with line breaks", async () => {
    using backend = await start({ SHUTDOWN_TIMEOUT_MS: "8000" });
    const wire = await Wire.open(backend.url);
    wire.send(listing(1));
    await wire.answers(1);
    using _ = every(100, () => wire.send("\r\n"));
    await sleep(300);
    assert.equal(await backend.stop(), 0);
  });

  test("is refused beyond MAX_CONNECTIONS", async () => {
    using backend = await start({ MAX_CONNECTIONS: "3" });
    const wires = [];
    for (let n = 0; n < 3; n++) wires.push(await Wire.open(backend.url));
    const refused = await Wire.open(backend.url);
    await eventually(() => refused.socket.destroyed, "the connection to be refused");
    for (const wire of wires) wire.socket.destroy();
    await eventually(
      async () => (await get(backend.url, "/health").catch(() => undefined))?.status === 200,
      "room again",
    );
  });
});

test("the server continues when the reader of the log goes away", { skip: earlier }, async () => {
  using backend = await start();
  backend.process.stdout?.destroy();
  for (let n = 0; n < 5; n++) {
    assert.equal((await create(backend.url, "unlogged")).status, 201);
    await sleep(50);
  }
  assert.equal(await backend.stop(), 0);
});

test("only the owner can read the file with the items and the folder that is created for it", {
  skip: earlier,
}, async () => {
  const url = (await newSqliteFile()).replace("items.db", "data/items.db");
  using backend = await start({ DATABASE_URL: url });
  await create(backend.url, "private");
  const path = fileURLToPath(url);
  for (const suffix of ["", "-wal", "-shm"]) assert.equal(statSync(path + suffix).mode & 0o077, 0, suffix);
  assert.equal(statSync(dirname(path)).mode & 0o077, 0);
});

async function start(env: Environment = {}): Promise<Backend> {
  return Backend.start({ DATABASE_URL: await newSqliteFile(), ...env });
}

function residentBytes({ process }: Backend): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process.pid}/status`, "utf8"))?.[1]) * 1024;
}

function every(ms: number, act: () => void): Disposable {
  const timer = setInterval(act, ms);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
