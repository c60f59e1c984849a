/**
 * Routes and plugins of an owner that a suite of requests could stumble over:
 *
 * - `GET /events` sends server-sent events and never ends, `GET /download` sends 6 MB;
 * - `GET /old` redirects to `/health`, `GET /page` is HTML that may be cached, `GET /page/…` are its files;
 * - `GET /zipped` is compressed; `GET /mine` asks for a token of its own;
 * - `GET /debug`, in Hono, exists in development only; in Fastify the app can also read forms;
 * - in Express, `GUARD` in the environment refuses everything below `/page`;
 * - with `CORS` in the environment a CORS plugin answers browsers, with `LIMIT` only so many requests are answered.
 */
export interface Plugins {
  routes: string;
  /** Lines of `app.ts`, after the line that ends with `after`. */
  plugins: string;
  after: string;
  mount: string[];
}

const zipped = `import { gzipSync } from "node:zlib";

const html = "<!doctype html><title>Page</title>";
const text = gzipSync(JSON.stringify({ zipped: true }));
const large = Buffer.alloc(6_000_000, "x");
`;

/** For frameworks that write to Node's response through a stream. */
const stream = `
function events() {
  const stream = new PassThrough();
  const timer = setInterval(() => stream.write("data: tick\\n\\n"), 50);
  stream.on("close", () => clearInterval(timer));
  return stream;
}
`;

/** For frameworks that return a web Response. */
const webStream = `
function events() {
  let timer: NodeJS.Timeout;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(new TextEncoder().encode("data: tick\\n\\n")), 50);
    },
    cancel: () => clearInterval(timer),
  });
}
`;

const limit = `  let requests = 0;
  const isRefused = () => ++requests > Number(process.env["LIMIT"] ?? Infinity);`;

export const plugins: Record<string, Plugins> = {
  express: {
    routes: `import { Router } from "express";
${zipped}
export const pages = Router();

pages.get("/events", (req, res) => {
  res.set("Content-Type", "text/event-stream").flushHeaders();
  const timer = setInterval(() => res.write("data: tick\\n\\n"), 50);
  req.on("close", () => clearInterval(timer));
});
pages.get("/download", (_req, res) => void res.type("bin").send(large));
pages.get("/old", (_req, res) => res.redirect("/health"));
pages.get("/page", (_req, res) => void res.set("Cache-Control", "public, max-age=60").type("html").send(html));
pages.get("/page/*file", (_req, res) => void res.type("css").send("body {}"));
pages.get("/zipped", (_req, res) => void res.set("Content-Encoding", "gzip").type("json").send(text));
pages.get("/mine", (_req, res) => void res.status(401).set("WWW-Authenticate", 'Bearer realm="mine"').end());
`,
    after: `app.disable("x-powered-by");`,
    plugins: `${limit}
  app.use((_req, res, next) => (isRefused() ? void res.status(429).set("Retry-After", "60").send("Slow down") : next()));
  if (process.env["CORS"]) app.use(cors());
  if (process.env["GUARD"]) app.use("/page", (_req, res) => void res.status(403).json({ message: "not for you" }));`,
    mount: [`import cors from "cors";`, `import { pages } from "./pages/routes.ts";`, "  app.use(pages);"],
  },
  koa: {
    routes: `import { PassThrough } from "node:stream";
import Router from "@koa/router";
${zipped}${stream}
export const pages = new Router();

pages.get("/events", (ctx) => {
  ctx.type = "text/event-stream";
  ctx.body = events();
});
pages.get("/download", (ctx) => {
  ctx.body = large;
});
pages.get("/old", (ctx) => ctx.redirect("/health"));
pages.get("/page", (ctx) => {
  ctx.set("Cache-Control", "public, max-age=60");
  ctx.body = html;
});
pages.get("/page/*file", (ctx) => {
  ctx.type = "css";
  ctx.body = "body {}";
});
pages.get("/zipped", (ctx) => {
  ctx.set("Content-Encoding", "gzip");
  ctx.type = "json";
  ctx.body = text;
});
pages.get("/mine", (ctx) => ctx.throw(401, { headers: { "WWW-Authenticate": 'Bearer realm="mine"' } }));
`,
    after: "app.use(sendProblems);",
    plugins: `${limit}
  app.use(async (ctx, next) => {
    if (isRefused()) ctx.throw(429, { headers: { "Retry-After": "60" } });
    if (process.env["CORS"]) ctx.set("Access-Control-Allow-Origin", "*");
    if (process.env["CORS"] && ctx.method === "OPTIONS") ctx.status = 204;
    else await next();
  });`,
    mount: [`import { pages } from "./pages/routes.ts";`, "  app.use(pages.routes());"],
  },
  fastify: {
    routes: `import { PassThrough } from "node:stream";
import type { FastifyPluginAsync } from "fastify";
${zipped}${stream}
export const pages: FastifyPluginAsync = async (app) => {
  app.get("/events", async (_request, reply) => reply.type("text/event-stream").send(events()));
  app.get("/download", async (_request, reply) => reply.send(large));
  app.get("/old", async (_request, reply) => reply.redirect("/health"));
  app.get("/page", async (_request, reply) => reply.header("Cache-Control", "public").type("text/html").send(html));
  app.get("/page/*", async (_request, reply) => reply.type("text/css").send("body {}"));
  app.get("/zipped", async (_request, reply) =>
    reply.header("Content-Encoding", "gzip").type("application/json").send(text),
  );
  app.get("/mine", async (_request, reply) => reply.code(401).header("WWW-Authenticate", 'Bearer realm="mine"').send());
};
`,
    after: "await app.register(core);",
    plugins: `${limit}
  app.addHook("onRequest", async (request, reply) => {
    if (isRefused()) return reply.code(429).header("Retry-After", "60").send("Slow down");
    if (!process.env["CORS"]) return;
    // As @fastify/cors with a list of origins.
    if (request.headers.origin) reply.header("Access-Control-Allow-Origin", "*");
    if (request.method !== "OPTIONS") return;
    if (request.headers.origin) return reply.code(204).send();
    return reply.code(400).type("text/plain").send("Invalid Preflight Request");
  });
  for (const type of ["multipart/form-data", "application/x-www-form-urlencoded"])
    app.addContentTypeParser(type, (_request, _payload, done) => done(null, {}));`,
    mount: [`import { pages } from "./pages/routes.ts";`, "  app.register(pages);"],
  },
  hono: {
    routes: `import { Hono } from "hono";
${zipped}${webStream}
export const pages = new Hono();

pages.get("/events", (c) => c.body(events(), 200, { "Content-Type": "text/event-stream" }));
pages.get("/download", (c) => c.body(large));
pages.get("/old", (c) => c.redirect("/health"));
pages.get("/page", (c) => c.html(html, 200, { "Cache-Control": "public, max-age=60" }));
pages.get("/page/*", (c) => c.text("body {}", 200, { "Content-Type": "text/css" }));
pages.get("/zipped", (c) => c.body(text, 200, { "Content-Type": "application/json", "Content-Encoding": "gzip" }));
pages.get("/mine", (c) => c.body(null, 401, { "WWW-Authenticate": 'Bearer realm="mine"' }));
if (process.env["NODE_ENV"] !== "production") pages.get("/debug", (c) => c.text("debug"));
`,
    after: "app.use(jsonBody);",
    plugins: `${limit}
  app.use(async (c, next) => {
    if (isRefused()) return c.text("Slow down", 429, { "Retry-After": "60" });
    return next();
  });
  if (process.env["CORS"]) app.use(cors());`,
    mount: [
      `import { cors } from "hono/cors";`,
      `import { pages } from "./pages/routes.ts";`,
      '      .route("/", pages)',
    ],
  },
  h3: {
    routes: `import { H3, redirect } from "h3";
${zipped}${webStream}
export const pages = new H3();

pages.get("/events", (event) => {
  event.res.headers.set("Content-Type", "text/event-stream");
  return events();
});
pages.get("/download", () => large);
pages.get("/old", () => redirect("/health"));
pages.get("/page", (event) => {
  event.res.headers.set("Cache-Control", "public, max-age=60");
  event.res.headers.set("Content-Type", "text/html");
  return html;
});
pages.get("/page/**", () => "body {}");
pages.get("/zipped", (event) => {
  event.res.headers.set("Content-Type", "application/json");
  event.res.headers.set("Content-Encoding", "gzip");
  return text;
});
pages.get("/mine", () => new Response(null, { status: 401, headers: { "WWW-Authenticate": 'Bearer realm="mine"' } }));
`,
    after: "app.use(jsonBody);",
    plugins: `${limit}
  app.use((event) => {
    if (isRefused()) throw new HTTPError({ status: 429, headers: { "Retry-After": "60" } });
    if (process.env["CORS"]) appendCorsHeaders(event, { origin: "*" });
    if (process.env["CORS"] && event.req.method === "OPTIONS") return noContent();
  });`,
    mount: [
      `import { appendCorsHeaders, HTTPError, noContent } from "h3";`,
      `import { pages } from "./pages/routes.ts";`,
      '  app.mount("/", pages);',
    ],
  },
  hapi: {
    routes: `import { PassThrough } from "node:stream";
import type { Plugin } from "@hapi/hapi";
${zipped}${stream}
export const pages: Plugin<void> = {
  name: "pages",
  register(server) {
    server.route([
      { method: "GET", path: "/events", handler: (_request, h) => h.response(events()).type("text/event-stream") },
      { method: "GET", path: "/download", handler: () => large },
      { method: "GET", path: "/old", handler: (_request, h) => h.redirect("/health") },
      {
        method: "GET",
        path: "/page",
        options: { cache: { expiresIn: 60_000, privacy: "public" } },
        handler: () => html,
      },
      { method: "GET", path: "/page/{file*}", handler: (_request, h) => h.response("body {}").type("text/css") },
      {
        method: "GET",
        path: "/zipped",
        handler: (_request, h) => h.response(text).type("application/json").header("Content-Encoding", "gzip"),
      },
      {
        method: "GET",
        path: "/mine",
        handler: (_request, h) => h.response().code(401).header("WWW-Authenticate", 'Bearer realm="mine"'),
      },
    ]);
  },
};
`,
    after: "await server.register(core);",
    plugins: `${limit}
  server.ext("onRequest", (request, h) => {
    if (isRefused()) return h.response("Slow down").code(429).header("Retry-After", "60").takeover();
    if (!process.env["CORS"]) return h.continue;
    request.raw.res.setHeader("Access-Control-Allow-Origin", "*");
    return request.method === "options" ? h.response().code(204).takeover() : h.continue;
  });`,
    mount: [`import { pages } from "./pages/routes.ts";`, "  await server.register(pages);"],
  },
  elysia: {
    routes: `import { Elysia, redirect } from "elysia";
${zipped}${webStream}
let requests = 0;

export const isRefused = () => ++requests > Number(process.env["LIMIT"] ?? Infinity);

const answer = (body: BodyInit | null, headers: Record<string, string>, status = 200) =>
  new Response(body, { status, headers });

export const pages = new Elysia()
  .get("/events", () => answer(events(), { "Content-Type": "text/event-stream" }))
  .get("/download", () => answer(large, { "Content-Type": "application/octet-stream" }))
  .get("/old", () => redirect("/health"))
  .get("/page", () => answer(html, { "Content-Type": "text/html", "Cache-Control": "public, max-age=60" }))
  .get("/page/*", () => answer("body {}", { "Content-Type": "text/css" }))
  .get("/zipped", () => answer(text, { "Content-Type": "application/json", "Content-Encoding": "gzip" }))
  .get("/mine", () => answer(null, { "WWW-Authenticate": 'Bearer realm="mine"' }, 401));
`,
    after: "new Elysia({ adapter: node(), handler: { standardHostname: false } })",
    plugins: `      .onRequest(({ set }) => {
        if (!isRefused()) return;
        set.status = 429;
        return "Slow down";
      })
      .use((app) => (process.env["CORS"] ? app.use(cors()) : app))`,
    mount: [
      `import { cors } from "@elysiajs/cors";`,
      `import { isRefused, pages } from "./pages/routes.ts";`,
      "      .use(pages)",
    ],
  },
  nest: {
    routes: `import { Controller, Get, Header, Module, Redirect, Res, Sse, UnauthorizedException } from "@nestjs/common";
import type { Response } from "express";
import { interval, map } from "rxjs";
${zipped}
@Controller()
class PagesController {
  @Sse("events")
  events() {
    return interval(50).pipe(map(() => ({ data: "tick" })));
  }

  @Get("download")
  download(@Res() res: Response) {
    res.type("bin").send(large);
  }

  @Get("old")
  @Redirect("/health")
  old() {}

  @Get("page")
  @Header("Cache-Control", "public, max-age=60")
  @Header("Content-Type", "text/html")
  page() {
    return html;
  }

  @Get("page/*file")
  @Header("Content-Type", "text/css")
  file() {
    return "body {}";
  }

  @Get("zipped")
  zipped(@Res() res: Response) {
    res.set("Content-Encoding", "gzip").type("json").send(text);
  }

  @Get("mine")
  @Header("WWW-Authenticate", 'Bearer realm="mine"')
  mine() {
    throw new UnauthorizedException();
  }
}

@Module({ controllers: [PagesController] })
export class PagesModule {}
`,
    after: "adapter, options);",
    plugins: `${limit}
  app.use((_req: unknown, res: import("express").Response, next: () => void) =>
    isRefused() ? void res.status(429).set("Retry-After", "60").send("Slow down") : next(),
  );
  if (process.env["CORS"]) app.enableCors();`,
    mount: [`import { PagesModule } from "./pages/routes.ts";`, "    PagesModule,"],
  },
};
