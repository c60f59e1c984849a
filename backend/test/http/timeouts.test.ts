import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, describe, mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";
import { authorization, Wire } from "../support/wire.ts";

const limits = { HANDLER_TIMEOUT_MS: "400", REQUEST_TIMEOUT_MS: "6000", SHUTDOWN_TIMEOUT_MS: "500" };
const megabyte = Buffer.alloc(1_048_576, "x");

type Handler = (res: ServerResponse, req: IncomingMessage) => unknown;

/** Each at its own path. */
const handlers: Record<string, Handler> = {
  "/events": async (res) => {
    res.writeHead(200, { "Content-Type": "text/event-stream" });
    for (let each = 0; each < 8; each++) {
      res.write(`data: ${each}\n\n`);
      await sleep(150);
    }
    res.end();
  },
  "/head-first": async (res) => {
    res.writeHead(200);
    await sleep(1000);
    res.end("late");
  },
  "/never": (res) => {
    res.on("close", () => closed.push("/never"));
  },
  "/failing-and-never": (res) => {
    res.writeHead(404);
    res.write("no");
  },
  "/patient": async (res) => {
    await sleep(1200);
    res.end("patient");
  },
  "/impatient": () => {},
  "/large": async (res) => {
    for (let each = 0; each < 60; each++) if (!res.write(megabyte)) await once(res, "drain");
    res.end();
  },
  "/at-once": (res) => res.end(Buffer.alloc(60 * megabyte.length)),
  "/open": (res) => res.write("open"),
  "/throws": () => {
    throw new Error("inner secret");
  },
};
const timeouts: Record<string, number> = { "/patient": 5000, "/impatient": 100 };
const closed: string[] = [];

describe("timeouts", { timeout: 60_000 }, () => {
  const routes = Object.keys(handlers).map((pattern) => ({
    method: "GET",
    pattern,
    handlerTimeout: timeouts[pattern],
  }));
  const listener = (req: IncomingMessage, res: ServerResponse) => handlers[req.url ?? ""]?.(res, req);
  const server = createTestServer({ routes, listener }, limits);
  const logged: string[] = [];
  let url = "";
  const { level } = logging;

  before(async () => {
    logging.level = "info";
    const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
    mock.method(process.stdout, "write", (...args: unknown[]) => {
      if (!String(args[0]).startsWith('{"time"')) return write(...args);
      logged.push(...String(args[0]).trim().split("\n"));
      return true;
    });
    url = `http://127.0.0.1:${await server.listen()}`;
  });
  after(() => {
    mock.restoreAll();
    logging.level = level;
  });

  const get = (path: string, at = url) => fetch(at + path, { headers: credentials });
  const expectUnavailable = async (path: string, at = url) => {
    const answer = await get(path, at);
    assert.equal(answer.status, 503);
    assert.equal(((await answer.json()) as { code: string }).code, "unavailable");
  };
  const logsCut = (path: string, reason: RegExp) =>
    eventually(
      () => logged.some((line) => line.includes(`"route":"${path}","status":"aborted"`) && reason.test(line)),
      `a line for ${path}`,
    );

  describe("while the server runs", { concurrency: true }, () => {
    test("an answer that has begun lasts as long as it takes", async () => {
      assert.equal((await (await get("/events")).text()).match(/data: \d/g)?.length, 8);
      assert.equal(await (await get("/head-first")).text(), "late");
    });

    test("a handler that does not begin in time is unavailable, and its response closes", async () => {
      await expectUnavailable("/never");
      assert.ok(closed.includes("/never"));
      const find = () => logged.find((line) => line.includes('"route":"/never"'));
      await eventually(() => find() !== undefined, "its line in the log");
      const { status, durationMs } = JSON.parse(find() ?? "");
      assert.deepEqual([status, durationMs > 300], [503, true]);
    });

    test("so is one that never ends a failing answer", () => expectUnavailable("/failing-and-never"));

    test("a route may have more or less time", async () => {
      assert.equal(await (await get("/patient")).text(), "patient");
      const patient = createTestServer({ routes, listener }, { ...limits, HANDLER_TIMEOUT_MS: "600000" });
      await expectUnavailable("/impatient", `http://127.0.0.1:${await patient.listen()}`);
      await patient.drain();
    });

    for (const path of ["/large", "/at-once"]) {
      test(`a client that takes no bytes is cut off, and the log says why: ${path}`, async () => {
        const wire = await Wire.open(url);
        wire.socket.pause();
        wire.send(`GET ${path} HTTP/1.1`, "Host: localhost", authorization, "", "");
        await logsCut(path, /"reason":"the client took no bytes for 6000 ms"/);
        wire.socket.destroy();
      });

      test(`one that takes them slowly gets all of them: ${path}`, async () => {
        let [size, pauses] = [0, 0];
        for await (const chunk of (await get(path)).body ?? []) {
          size += chunk.length;
          // Seven seconds in all, which is longer than every limit.
          if (size > pauses * 6 * megabyte.length) await sleep(700, pauses++);
        }
        assert.deepEqual([size, pauses], [60 * megabyte.length, 10]);
      });
    }

    test("what a listener throws is a failed request", async () => {
      assert.equal((await get("/throws")).status, 500);
    });
  });

  test("open answers last until the shutdown limit, and the log says why they end", async () => {
    const answer = await get("/open");
    const rest = answer.text();
    assert.equal(await server.drain(), false);
    await assert.rejects(rest);
    await logsCut("/open", /"reason":"the shutdown limit was reached"/);
  });
});
