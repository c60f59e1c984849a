import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { AppServer } from "../../src/core/http/server.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";

logging.level = "silent";

test("a library that closes the app's server is told once all connections are closed, and not before", async () => {
  const appServer = new AppServer();
  const answer = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const listener = async (_req: unknown, res: { end(text: string): unknown }) => {
    began.resolve();
    await answer.promise;
    res.end("answered");
  };
  const server = createTestServer({ routes: [{ method: "GET", pattern: "/slow" }], listener }, {}, appServer);
  const port = await server.listen();
  const response = fetch(`http://127.0.0.1:${port}/slow`, { headers: credentials });
  await began.promise;
  server.announceStop();
  const told = Promise.withResolvers<string>();
  appServer.close(() => told.resolve("told"));
  const drained = server.drain();
  assert.equal(await Promise.race([told.promise, sleep(100, "not yet")]), "not yet");
  answer.resolve();
  assert.equal(await (await response).text(), "answered");
  assert.equal(await drained, true);
  await told.promise;
});
