import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import Hapi from "@hapi/hapi";
import Router from "@koa/router";
import { Elysia } from "elysia";
import express from "express";
import { H3 } from "h3";
import { Hono } from "hono";
import Koa from "koa";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import * as elysia from "../../src/core/frameworks/elysia/connect.ts";
import { publicRoutes } from "../../src/core/frameworks/elysia/public.ts";
import * as inExpress from "../../src/core/frameworks/express/connect.ts";
import { isPublic as publicInExpress } from "../../src/core/frameworks/express/public.ts";
import * as h3 from "../../src/core/frameworks/h3/connect.ts";
import * as inHapi from "../../src/core/frameworks/hapi/connect.ts";
import * as hono from "../../src/core/frameworks/hono/connect.ts";
import { isPublic as publicInHono } from "../../src/core/frameworks/hono/public.ts";
import * as koa from "../../src/core/frameworks/koa/connect.ts";
import { isPublic as publicInKoa } from "../../src/core/frameworks/koa/public.ts";
import { type AppListener, AppServer } from "../../src/core/http/server.ts";
import { logging } from "../../src/core/log.ts";
import type { CoreParts } from "../../src/core/start.ts";
import { createTestServer } from "../support/server.ts";

// What is declared public opens itself, and nothing beside it: each request here has no token.

interface Case {
  app: () => AppListener | Promise<AppListener>;
  open: string[];
  closed: string[];
}

const meta = { isPublic: true };
const secret = () => "secret";
const parts = { server: new AppServer() } as CoreParts;

const cases: Record<string, Case> = {
  "h3: a closed route, however its path is spelled": {
    app: () => h3.toListener(new H3({ silent: true }).get("/e/:page", () => "open", { meta }).get("/e/@admin", secret)),
    open: ["GET /e/about", "GET /e/a%20b"],
    closed: ["GET /e/@admin", "GET /e/%40admin", "GET /e/@ADMIN"],
  },
  "h3: a route with a wildcard for one segment": {
    app: () => h3.toListener(new H3({ silent: true }).get("/**", () => "open", { meta }).get("/*/admin", secret)),
    open: ["GET /", "GET /about", "GET /a/b", "HEAD /a/b"],
    closed: ["GET /acme/admin", "POST /about"],
  },
  "h3: a route for any method beside a GET": {
    app: () => h3.toListener(new H3({ silent: true }).get("/h/:id", () => "open", { meta }).all("/h/**", secret)),
    open: ["GET /h/3"],
    closed: ["HEAD /h/3", "GET /h/3/4"],
  },
  "h3: a path that a hook has changed": {
    app: () => {
      const app = new H3({
        silent: true,
        onRequest: ({ url }) => {
          url.pathname = url.pathname.replace("/api/v1", "");
        },
      });
      return h3.toListener(app.get("/api/**", () => "open", { meta }).get("/secret", secret));
    },
    open: ["GET /api/x"],
    closed: ["GET /api/v1/secret"],
  },
  "h3: middleware beside a custom pattern": {
    app: () =>
      h3.toListener(new H3({ silent: true }).get("/:id(\\d+)", () => "open", { meta }).use("/graphql", secret)),
    open: ["GET /7"],
    closed: ["GET /graphql", "GET /unknown"],
  },
  "hapi: a public route that asks whether its client is known": {
    app: async () => {
      const server = Hapi.server({ autoListen: false, debug: false });
      await server.register(inHapi.core);
      server.route({ method: "GET", path: "/page", options: { auth: false }, handler: () => "open" });
      server.route({
        method: "GET",
        path: "/known",
        options: { auth: false },
        handler: async (request) => {
          await request.server.auth.test("token", request);
          return "secret";
        },
      });
      return {
        ...(await inHapi.toListener(server)),
        listener: (req, res) => void server.listener.emit("request", req, res),
      };
    },
    open: ["GET /page"],
    closed: ["GET /known"],
  },
  "Elysia: a closed route, however its path is spelled": {
    app: () => {
      const app = new Elysia({ adapter: elysia.node() }).use(publicRoutes);
      return elysia.toListener(app.get("/e/:page", "open", { isPublic: true }).get("/e/@admin", "secret"), parts);
    },
    open: ["GET /e/about"],
    closed: ["GET /e/@admin", "GET /e/%40admin", "GET /e/%2Cadmin"],
  },
  "Elysia: paths that are strict": {
    app: () => {
      const app = new Elysia({ adapter: elysia.node(), strictPath: true }).use(publicRoutes);
      return elysia.toListener(app.get("/x/", "open", { isPublic: true }).all("/*", "secret"), parts);
    },
    open: ["GET /x/"],
    closed: ["GET /x", "GET /y"],
  },
  "Elysia: without code of its own for each route": {
    app: () => {
      const app = new Elysia({ adapter: elysia.node(), aot: false }).use(publicRoutes);
      return elysia.toListener(app.get("/x", "open", { isPublic: true }).all("/x", "secret"), parts);
    },
    open: [],
    closed: ["HEAD /x"],
  },
  "Express: a closed route that ends with a slash": {
    app: () => {
      const app = express();
      app.enable("strict routing");
      app.use(inExpress.jsonBody);
      app.post("/admin/", (_req, res) => void res.json("secret"));
      app.post("/*path", publicInExpress, (_req, res) => void res.json("open"));
      return inExpress.toListener(app);
    },
    open: ["POST /other"],
    closed: ["POST /admin/"],
  },
  "Express: middleware beside a regular expression": {
    app: () => {
      const app = express();
      app.use((_req, _res, next) => next());
      app.use("/above", (_req, res) => void res.json("secret"));
      app.get(/^\/(status|version)$/, publicInExpress, (_req, res) => void res.json("open"));
      app.use("/graphql", (_req, res) => void res.json("secret"));
      return inExpress.toListener(app);
    },
    open: ["GET /status", "HEAD /version"],
    closed: ["GET /graphql", "GET /above", "GET /unknown", "GET /%E0%A4%A"],
  },
  "Express: middleware beside an optional part, in routers at two places": {
    app: () => {
      const router = express.Router();
      router.get("/file{.:ext}", publicInExpress, (_req, res) => void res.json("open"));
      router.use("/deep", (_req, res) => void res.json("secret"));
      const app = express();
      app.use("/o", router);
      app.use("/p/:name", router);
      return inExpress.toListener(app);
    },
    open: ["GET /o/file", "GET /o/file.txt"],
    // The pattern of a place is not looked into.
    closed: ["GET /o/deep", "GET /p/x/deep", "GET /p/x/file.txt", "GET /other"],
  },
  "Express: the callback of a parameter": {
    app: () => {
      const app = express();
      app.param("id", (_req, res) => void res.json("secret"));
      app.get("/f/*path", publicInExpress, (_req, _res, next) => next());
      app.get("/f/:id", (_req, res) => void res.json("secret"));
      return inExpress.toListener(app);
    },
    open: [],
    closed: ["GET /f/7"],
  },
  "Koa: middleware beside a regular expression": {
    app: () => {
      const router = new Router();
      router.get(/^\/(status|version)$/, publicInKoa, (ctx) => {
        ctx.body = "open";
      });
      const app = new Koa();
      app.use(koa.sendProblems).use(router.routes());
      app.use((ctx) => {
        ctx.body = "secret";
      });
      return koa.toListener(app);
    },
    open: ["GET /status"],
    closed: ["GET /graphql"],
  },
  "Hono: middleware and mounted apps beside a custom pattern": {
    app: () => {
      const app = new Hono().onError(hono.sendProblem).use((_c, next) => next());
      app.get("/:slug{[a-z]+-page}", publicInHono, (c) => c.text("open"));
      app.get("/files/*", publicInHono, (c) => c.text("open"));
      app.mount("/mounted", () => new Response("secret"));
      app.use("/used/*", (c) => Promise.resolve(c.text("secret")));
      return hono.toListener(app);
    },
    open: ["GET /start-page", "HEAD /start-page", "GET /files", "GET /files/a%20b"],
    closed: ["GET /mounted/x", "GET /used/x", "GET /unknown"],
  },
};

for (const [name, { app, open, closed }] of Object.entries(cases))
  describe(name, () => {
    let [url, server] = ["", {} as ReturnType<typeof createTestServer>];
    before(async () => {
      logging.level = "silent";
      server = createTestServer(await app());
      url = `http://127.0.0.1:${await server.listen()}`;
    });
    after(() => server.drain());

    for (const [requests, isOpen] of [[open, true] as const, [closed, false] as const])
      for (const request of requests)
        test(`${request} ${isOpen ? "needs no token" : "needs a token"}`, async () => {
          const [method = "", path] = request.split(" ");
          // A token is asked for before a body is looked at.
          const broken = method === "POST" && !isOpen && { body: "{", headers: { "Content-Type": "application/json" } };
          const { status } = await fetch(url + path, { method, ...broken });
          assert.equal(status, isOpen ? 200 : 401);
          const { status: withToken } = await fetch(url + path, { method, headers: { ...credentials } });
          assert.notEqual(withToken, 401);
        });
  });
