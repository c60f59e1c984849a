import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import type { AppListener } from "../../src/core/http/server.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";

const token = `Authorization: ${credentials["Authorization"]}`;

test("each request of one turn keeps its own asynchronous context, for tracing", async () => {
  logging.level = "silent";
  const context = new AsyncLocalStorage<string>();
  channel("http.server.request.start").subscribe((message) => {
    context.enterWith((message as { request: { url: string } }).request.url);
  });
  const app: AppListener = {
    routes: [{ method: "GET", pattern: "/*" }],
    listener: (_req, res) => res.end(context.getStore()),
  };
  const server = createTestServer(app);
  const port = await server.listen();
  const sockets = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  const ask = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${token}\r\n${more}\r\n`;
  // A first answer on each connection, because only one connection is accepted in each turn.
  for (const socket of sockets) socket.write(ask("/first"));
  await Promise.all(sockets.map((socket) => once(socket, "data")));
  for (const [index, socket] of sockets.entries()) socket.write(ask(`/${index}`, "Connection: close\r\n"));
  const answers = await Promise.all(sockets.map((socket) => text(socket)));
  assert.ok(await server.drain());
  for (const [index, answer] of answers.entries()) assert.ok(answer.endsWith(`\r\n\r\n/${index}`), answer);
});
