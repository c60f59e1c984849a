import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { openApp } from "../../../kit/test/app.ts";
import { createApp } from "../../../src/frameworks/fastify/app.ts";

/** As Fastify's documentation writes it. */
function addFailures(app: FastifyInstance): void {
  app.register(async (plugin) => {
    plugin.addHook("preHandler", (_request, reply, done) => {
      reply.code(400);
      done(new Error("Some error"));
    });
    plugin.get("/hook", async () => "not reached");
  });
  app.get("/sent", (_request, reply) => {
    reply.code(404).send(new Error("Some error"));
  });
  app.get("/thrown", async (_request, reply) => {
    reply.code(410);
    throw new Error("Some error");
  });
  app.get("/unavailable", async (_request, reply) => {
    reply.code(503);
    throw new Error("Some error");
  });
  app.get("/success", async (_request, reply) => {
    reply.code(201);
    throw new Error("Some error");
  });
}

test("a failure has the status that was set for the answer, as on plain Fastify", async () => {
  const app = await openApp(createApp);
  const plain = Fastify();
  addFailures(app as unknown as FastifyInstance);
  addFailures(plain);
  for (const url of ["/hook", "/sent", "/thrown", "/unavailable"]) {
    const { statusCode, json } = await app.inject(url);
    assert.deepEqual([statusCode, json().status], [(await plain.inject(url)).statusCode, statusCode], url);
  }
  assert.equal((await app.inject("/success")).statusCode, 500);
});
