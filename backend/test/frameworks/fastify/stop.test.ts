import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { openApp } from "../../../kit/test/app.ts";
import type { Parts } from "../../../src/config.ts";
import { toListener } from "../../../src/core/frameworks/fastify/connect.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";
import { createTestServer } from "../../support/server.ts";
import { authorization, Wire } from "../../support/wire.ts";

const ask = (path: string) => [`GET ${path} HTTP/1.1`, "Host: localhost", authorization, "", ""];

test("hooks run when Fastify runs them: onListen, preClose, which ends open streams, and onClose after the last answer", async () => {
  const events: string[] = [];
  const parts: Partial<Parts> = {};
  const app = await openApp((given) => createApp(Object.assign(parts, given)));
  const stream = new PassThrough();
  const wires: Wire[] = [];
  app.get("/events", async (_request, reply) => reply.type("text/event-stream").send(stream));
  app.get("/late", async () => {
    events.push("late request");
    return {};
  });
  app.addHook("onListen", async () => void events.push("onListen"));
  app.addHook("preClose", async () => {
    events.push("preClose");
    wires[1]?.send(...ask("/late"));
    stream.end("data: bye\n\n");
  });
  app.addHook("onClose", async () => void events.push("onClose"));

  const listener = await toListener(app);
  const server = createTestServer(listener, {}, parts.server);
  const url = `http://127.0.0.1:${await server.listen()}`;
  wires.push(await Wire.open(url), await Wire.open(url));
  stream.write("data: hello\n\n");
  wires[0]?.send(...ask("/events"));
  await wires[0]?.answers(1);
  assert.deepEqual(events, ["onListen"]);

  assert.equal(await server.drain(), true);
  await listener.close?.();
  assert.match((await wires[0]?.ended) ?? "", /data: hello.*data: bye/s);
  assert.match((await wires[1]?.ended) ?? "", /^HTTP\/1\.1 200 .*Connection: close\r\n/is);
  assert.deepEqual(events, ["onListen", "preClose", "late request", "onClose"]);
});
