import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Hapi from "@hapi/hapi";
import Router from "@koa/router";
import { Elysia } from "elysia";
import express from "express";
import Fastify from "fastify";
import { H3, type H3Event, readBody } from "h3";
import Koa from "koa";
import { ask } from "../../kit/test/ask.ts";
import * as elysia from "../../src/core/frameworks/elysia/connect.ts";
import * as elysiaRequest from "../../src/core/frameworks/elysia/request.ts";
import * as inExpress from "../../src/core/frameworks/express/connect.ts";
import * as fastify from "../../src/core/frameworks/fastify/connect.ts";
import * as h3 from "../../src/core/frameworks/h3/connect.ts";
import * as hapi from "../../src/core/frameworks/hapi/connect.ts";
import * as koa from "../../src/core/frameworks/koa/connect.ts";
import { bodyLimit, handlerTimeout } from "../../src/core/http/routes.ts";
import { type AppListener, AppServer } from "../../src/core/http/server.ts";
import { logging } from "../../src/core/log.ts";
import type { CoreParts } from "../../src/core/start.ts";
import { createTestServer } from "../support/server.ts";

// A request has the limits of the route that its framework chooses, and of no other. Hono, which replaces globals, has its own file.

type Case = [request: string, status: number, json?: unknown];

interface Framework {
  app(server: AppServer): AppListener | Promise<AppListener>;
  cases: Case[];
}

const folder = mkdtempSync(join(tmpdir(), "dory-"));
writeFileSync(join(folder, "index.html"), "index");
after(() => rmSync(folder, { recursive: true }));

/** More than the default limit. */
const large = "x".repeat(200_000);
const [short, long] = ["abc", "x".repeat(50)];
const parts = { server: new AppServer() } as CoreParts;
const late = async () => {
  await sleep(1600);
  return "late";
};

/** Where the router chooses the most specific route, in whatever order they are. */
const specific: Case[] = [
  ["POST /docs/import", 200, large],
  ["POST /docs/1", 413, large],
  ["POST /docs/small/1", 413, long],
  ["POST /docs/small/all", 200, long],
  ["GET /reports/all", 200],
  ["GET /reports/1", 503],
];

const frameworks: Record<string, Framework> = {
  express: {
    app() {
      const app = express();
      app.enable("strict routing");
      app.use(inExpress.jsonBody);
      const send: express.RequestHandler = (_req, res) => void res.send("ok");
      app.use("/static", express.static(folder));
      app.get("/archive{/:year}{/:month}", send);
      app.post(/^\/ping-\d+$/, bodyLimit(10), send);
      app.post(/^\/up-\d+$/, bodyLimit(5_000_000), send);
      app.post("/:tenant{.:ext}", bodyLimit(10), send);
      app.get(/.*fly$/, handlerTimeout(300), send);
      app.get("/:code", send);
      app.get("/slash/", send);
      app.post("/items/all", send);
      app.get("/late/all", async (_req, res) => void res.send(await late()));
      app.get("/late/:id", handlerTimeout(300), async (_req, res) => void res.send(await late()));
      return inExpress.toListener(app);
    },
    cases: [
      ["POST /items/all", 200, long],
      ["POST /items/all", 413, large],
      ["POST /up-1", 200, large],
      ["POST /ping-1", 413, long],
      ["POST /ping-1", 200, short],
      ["POST /a.b", 413, long],
      ["GET /late/all", 200],
      ["GET /late/1", 503],
      ["GET /a/butterfly", 200],
      ["POST /a/b/c", 404, short],
      ["POST /static/index.html", 404, short],
      ["GET /archive/2026", 200],
      ["GET /archive/2026/11", 200],
      ["GET /static/", 200],
      ["GET /slash/", 200],
      ["PUT /slash/", 405, short],
    ],
  },
  koa: {
    app() {
      const app = new Koa();
      const router = new Router();
      const send: Koa.Middleware = (ctx) => {
        ctx.body = "ok";
      };
      app.use(koa.jsonBody);
      router.post(/^\/in-(\d+)$/, bodyLimit(10), send);
      router.get(/^\/apps\/(\d+)$/, send);
      router.post("/items", send);
      app.use(router.routes());
      return koa.toListener(app);
    },
    cases: [
      ["POST /items", 200, long],
      ["POST /in-1", 413, long],
      ["POST /nowhere", 404, short],
      ["POST /apps/1", 405, short],
      ["POST /apps/x", 404, short],
    ],
  },
  fastify: {
    async app(server) {
      const app = Fastify({ bodyLimit: 102_400, serverFactory: () => server });
      await app.register(fastify.core);
      app.register(fastify.unknownPaths);
      const send = async () => "ok";
      app.post("/docs/:id", send);
      app.post("/docs/import", { bodyLimit: 5_000_000 }, send);
      app.post("/docs/small/:id", { bodyLimit: 10 }, send);
      app.post("/docs/small/all", send);
      app.get("/reports/:id", { handlerTimeout: 300 }, late);
      app.get("/reports/all", late);
      app.post("/jobs::purge", send);
      app.get("/public/*", send);
      app.get("/:code", send);
      return fastify.toListener(app);
    },
    cases: [
      ...specific,
      ["POST /jobs:purge", 200, short],
      ["GET /nowhere/at/all", 404],
      ["POST /nowhere/at/all", 404, short],
      ["GET /public/", 200],
      ["GET /code/", 404],
    ],
  },
  hapi: {
    async app(server) {
      const config = { bodyLimitBytes: 102_400, handlerTimeoutMs: 3000 };
      const app = Hapi.server(hapi.serverOptions({ server, config } as CoreParts));
      await app.register(hapi.core);
      const send = () => "ok";
      app.route([
        { method: "POST", path: "/docs/{id}", handler: send },
        { method: "POST", path: "/docs/import", handler: send, options: { payload: { maxBytes: 5_000_000 } } },
        { method: "POST", path: "/docs/small/{id}", handler: send, options: { payload: { maxBytes: 10 } } },
        { method: "POST", path: "/docs/small/all", handler: send },
        { method: "GET", path: "/reports/{id}", handler: late, options: { timeout: { server: 300 } } },
        { method: "GET", path: "/reports/all", handler: late },
        { method: "GET", path: "/public/{path*}", handler: send },
        { method: "GET", path: "/{code}", handler: send },
      ]);
      app.ext("onPreResponse", hapi.sendProblem);
      return hapi.toListener(app);
    },
    cases: [...specific, ["GET /public/", 200], ["GET /code/", 404]],
  },
  h3: {
    app() {
      const app = new H3({ silent: true }).use(h3.jsonBody);
      const send = async (event: H3Event) => {
        await readBody(event);
        return "ok";
      };
      app.post("/docs/:id", send);
      app.post("/docs/import", send, { meta: { bodyLimit: 5_000_000 } });
      app.post("/docs/small/:id", send, { meta: { bodyLimit: 10 } });
      app.post("/docs/small/all", send);
      app.get("/reports/:id", late, { meta: { handlerTimeout: 300 } });
      app.get("/reports/all", late);
      return h3.toListener(app);
    },
    cases: specific,
  },
  elysia: {
    app() {
      const { bodyLimit, handlerTimeout } = elysiaRequest;
      const app = new Elysia({ adapter: elysia.node() }).use(bodyLimit).use(handlerTimeout);
      app.post("/docs/:id", () => "ok", { parse: "json" });
      app.post("/docs/import", () => "ok", { bodyLimit: 5_000_000, parse: "json" });
      app.post("/docs/small/:id", () => "ok", { bodyLimit: 10, parse: "json" });
      app.post("/docs/small/all", () => "ok", { parse: "json" });
      app.get("/reports/:id", late, { handlerTimeout: 300 });
      app.get("/reports/all", late);
      return elysia.toListener(app as never, parts);
    },
    cases: specific,
  },
};

for (const [name, { app, cases }] of Object.entries(frameworks))
  describe(`the route that ${name} chooses`, { timeout: 30_000, concurrency: true }, () => {
    let url = "";
    let server: ReturnType<typeof createTestServer>;
    before(async () => {
      logging.level = "silent";
      const appServer = new AppServer();
      server = createTestServer(await app(appServer), { HANDLER_TIMEOUT_MS: "3000" }, appServer);
      url = `http://127.0.0.1:${await server.listen()}`;
    });
    after(() => server.drain());
    for (const [request, status, json] of cases)
      test(`answers ${request}${json ? ` with ${String(json).length} bytes` : ""} with ${status}`, async () => {
        const [method = "", path = ""] = request.split(" ");
        assert.equal((await ask(url, method, path, json)).status, status);
      });
  });
