import assert from "node:assert/strict";
import { test } from "node:test";
import { openApp } from "../../../kit/test/app.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";
import { logLines } from "../../support/log-lines.ts";

test("request.log and app.log write to the log, with the request's id and without its headers", async () => {
  const app = await openApp(createApp);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  app.get("/logs", async (request, reply) => {
    request.log.info("plain %s", "text");
    request.log.warn({ orderId: 5, req: request, res: reply }, "an order %d", 5);
    request.log.error(new Error("broken"));
    request.log.info({ circle }, "a circle");
    app.log.info("the app");
    return {};
  });
  const headers = { "x-request-id": "its-id", authorization: "not logged" };
  const lines = await logLines(() => app.inject({ url: "/logs", headers }));
  const shown = lines.map(({ level, message, requestId, orderId }) => [level, message, requestId, orderId]);
  assert.deepEqual(shown, [
    ["info", "plain text", "its-id", undefined],
    ["warn", "an order 5", "its-id", 5],
    ["error", "broken", "its-id", undefined],
    ["info", "a circle", "its-id", undefined],
    ["info", "the app", undefined, undefined],
  ]);
  assert.match(JSON.stringify(lines), /"stack":"Error: broken/);
  assert.doesNotMatch(JSON.stringify(lines), /not logged/);
});

test("a route and a child may have their own level and serializers, as with any pino", async () => {
  const app = await openApp(createApp);
  const logSerializers = { user: (user: { name: string }) => user.name };
  app.get("/quiet", { logLevel: "error", logSerializers }, async (request) => {
    request.log.info("not logged");
    request.log.error({ user: { name: "ann", password: "not logged" } }, "a user");
    app.log.child({ part: "jobs" }, { level: "warn" }).info("not logged");
    app.log.debug("not logged");
    return {};
  });
  const lines = await logLines(() => app.inject("/quiet"));
  assert.deepEqual(
    lines.map(({ message, user }) => [message, user]),
    [["a user", "ann"]],
  );
});

test("the log has only the safe members of an error", async () => {
  const app = await openApp(createApp);
  const lines = await logLines(async () => {
    app.log.error({ err: Object.assign(new Error("broken"), { code: "E1", row: "not logged" }) });
  });
  assert.match(JSON.stringify(lines), /"code":"E1"/);
  assert.doesNotMatch(JSON.stringify(lines), /not logged/);
});
