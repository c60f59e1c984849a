import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { type Holder, Memory } from "../../src/core/http/connection.ts";
import { readJson } from "../../src/core/http/request.ts";
import { toShape } from "../../src/core/http/routes.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";
import { Wire } from "../support/wire.ts";

describe("a server", { timeout: 60_000 }, () => {
  const listener = (_req: IncomingMessage, res: ServerResponse) =>
    void res.writeHead(200, { "X-Request-Id": "of-a-handler" }).end("handled");
  const server = createTestServer({ routes: [{ method: "*", pattern: "/*" }], listener });
  let url = "";
  before(async () => {
    logging.level = "silent";
    url = `http://127.0.0.1:${await server.listen()}`;
  });
  after(() => server.drain());

  const ask = () => fetch(url, { headers: { ...credentials, "X-Request-Id": "of-the-client" } });

  test("survives a client that resets its connection after CONNECT", async () => {
    for (const before of [[], ["GET / HTTP/1.1", "Host: localhost", "", ""]]) {
      const wire = await Wire.open(url);
      wire.send(...before, "CONNECT a:1 HTTP/1.1", "Host: a", "", "");
      await once(wire.socket, "data");
      wire.socket.resetAndDestroy();
      await once(wire.socket, "close");
      await (await ask()).text();
    }
    assert.equal((await ask()).status, 200);
  });

  test("sends the id that is in the log, whatever a handler sets", async () => {
    assert.equal((await ask()).headers.get("x-request-id"), "of-the-client");
  });

  test("is one server for what traces requests", async () => {
    const { emit } = Server.prototype;
    const events: unknown[] = [];
    Server.prototype.emit = function (event: string | symbol, ...args: unknown[]) {
      events.push(event);
      return Reflect.apply(emit, this, [event, ...args]);
    };
    try {
      await (await ask()).text();
    } finally {
      Server.prototype.emit = emit;
    }
    assert.equal(events.filter((event) => event === "request").length, 1);
  });
});

test("a path without sense is compared with a route in a moment", () => {
  const shape = toShape("/users/@me/a@b");
  const path = `/users/${"%".repeat(4000)}/${"%".repeat(4000)}/`;
  assert.equal(runInNewContext("shape.test(path)", { shape, path }, { timeout: 10_000 }), false);
});

test("bodies that arrived together are not all parsed before the first is handled", async () => {
  const length = 60_000;
  const body = Buffer.from(`[${"{},".repeat(length / 3 - 2)}{}]`);
  let turn = 0;
  const turns: number[] = [];
  const requests = Array.from({ length: 20 }, () =>
    Object.assign(Readable.from([body]), { method: "POST", headers: { "content-type": "application/json" } }),
  );
  const all = Promise.all(
    requests.map((req) => readJson(req as unknown as IncomingMessage).then(() => turns.push(turn))),
  );
  while (turns.length < requests.length) {
    await nextTurn();
    turn++;
  }
  await all;
  const most = Math.max(
    ...Map.groupBy(turns, (one) => one)
      .values()
      .map(({ length }) => length),
  );
  assert.ok(most * length <= 262_144, `${most} at once`);
});

test("an answer that is longer than the memory for all is sent, but only one at a time", () => {
  const given: string[] = [];
  const holders: Holder[] = [];
  const memory = new Memory(() => holders, 1000);
  const add = (name: string, heldBytes: number) => {
    const holder = {
      heldBytes,
      isWaiting: true,
      giveUp: () => {
        given.push(name);
        holders.splice(holders.indexOf(holder), 1);
        memory.keep(-heldBytes);
      },
      holdBack: () => {},
      readOn: () => {},
    };
    holders.push(holder);
    memory.keep(heldBytes);
  };
  add("small", 100);
  add("long", 5000);
  assert.deepEqual(given, []);
  add("longer", 6000);
  assert.deepEqual(given, ["longer"]);
});

test("a body that is refused throws nothing at a reader that has stopped listening for errors", async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    const ignore = () => {};
    req.on("error", ignore);
    req.once("readable", () => req.read());
    req.read();
    req.off("error", ignore);
    setTimeout(() => res.end("late"), 20);
  };
  const server = createTestServer({ routes: [{ method: "*", pattern: "/*" }], listener }, { BODY_LIMIT_BYTES: "10" });
  const url = `http://127.0.0.1:${await server.listen()}`;
  process.on("uncaughtException", note);
  try {
    const { status } = await fetch(url, { method: "POST", body: "x".repeat(100), headers: credentials });
    assert.deepEqual([status, uncaught], [413, []]);
  } finally {
    process.off("uncaughtException", note);
    await server.drain();
  }
});
