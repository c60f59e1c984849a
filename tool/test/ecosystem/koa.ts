import { bearer, type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  plain: `import { createServer } from "node:http";
import Router from "@koa/router";
import Koa from "koa";
import { packages } from "../src/packages/list.ts";

const app = new Koa();
app.silent = true;
const parts = { server: createServer((req, res) => app.callback()(req, res)) };
// packages
parts.server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ message: "listening", port: parts.server.address().port }));
});
`,
  mount: `  for (const [prefix, mount] of packages) {
    const own = new Router({ prefix });
    mount(own, app, prefix, parts.server);
    app.use(own.routes());
  }`,
  signature: `export default function (router, app, prefix, server) {
// code
}`,
  packages: [
    {
      name: "koa-bodyparser",
      version: "4.4.1",
      code: `
import bodyParser from "koa-bodyparser";
router.use(bodyParser({ enableTypes: ["json", "form", "text"] }));
router.post("/", (ctx) => {
  ctx.body = { body: ctx.request.body };
});
`,
      requests: [
        json({ a: 1 }),
        form("a=1&b=2"),
        { method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        { method: "POST" },
        json({}, { body: "{" }),
      ],
    },
    {
      name: "@koa/bodyparser",
      version: "6.1.0",
      code: `
import { bodyParser } from "@koa/bodyparser";
router.use(bodyParser());
router.post("/", (ctx) => {
  ctx.body = ctx.request.body;
});
`,
      requests: [json({ a: 1 }), form("a=1&b=2"), json({}, { body: "{" })],
    },
    {
      name: "@koa/cors",
      version: "5.0.0",
      code: `
import cors from "@koa/cors";
router.use(cors({ origin: "http://example.com", credentials: true }));
router.get("/", (ctx) => {
  ctx.body = "cors";
});
router.get("/broken", () => {
  throw Object.assign(new Error("broken"), { status: 409 });
});
`,
      requests: [
        { headers: { Origin: "http://example.com" } },
        { path: "/broken", headers: { Origin: "http://example.com" } },
      ],
    },
    {
      name: "koa-compress",
      version: "5.2.2",
      code: `
import compress from "koa-compress";
router.use(compress({ threshold: 2048 }));
router.get("/", (ctx) => {
  ctx.body = "compress me ".repeat(500);
});
router.get("/small", (ctx) => {
  ctx.body = "small";
});
router.get("/missing", (ctx) => {
  ctx.status = 404;
  ctx.body = { text: "compress me ".repeat(500) };
});
router.get("/failure", (ctx) => {
  ctx.status = 500;
  ctx.body = "failure ".repeat(500);
});
router.get("/broken", () => {
  throw new Error("broken");
});
`,
      requests: [
        "",
        "/small",
        "/missing",
        { path: "/failure", status: 500 },
        { path: "/broken", status: 500 },
        "/none",
        { headers: { "Accept-Encoding": "gzip" } },
        { headers: { "Accept-Encoding": "identity" } },
        { method: "HEAD" },
      ],
    },
    {
      name: "koa-static",
      version: "5.0.0",
      with: { "koa-mount": "4.2.0" },
      code: `
import mount from "koa-mount";
import serve from "koa-static";
app.use(mount(prefix, serve("public")));
`,
      requests: ["/hello.txt", "/", "", "/none.txt", { path: "/large.txt", method: "HEAD" }],
    },
    {
      name: "koa-send",
      version: "5.0.1",
      code: `
import send from "koa-send";
router.get("/file", async (ctx) => {
  await send(ctx, "hello.txt", { root: "public" });
});
router.get("/none", async (ctx) => {
  await send(ctx, "none.txt", { root: "public" });
});
`,
      requests: ["/file", "/none"],
    },
    {
      name: "koa-session",
      version: "7.0.2",
      code: `
import session from "koa-session";
app.keys = ["not-a-secret-for-tests"];
router.use(session(app));
router.get("/", (ctx) => {
  ctx.session.views = (ctx.session.views || 0) + 1;
  ctx.body = \`\${ctx.session.views} views\`;
});
router.get("/missing", (ctx) => {
  ctx.session.missing = true;
  ctx.throw(404, "missing");
});
`,
      requests: ["", "", "/missing", ""],
      masks: [/koa\.sess(\.sig)?=[^;]*/g],
    },
    {
      name: "koa-helmet",
      version: "9.0.0",
      with: { helmet: "8.3.0" },
      code: `
import helmet from "koa-helmet";
router.use(helmet());
router.get("/", (ctx) => {
  ctx.body = "Hello World";
});
`,
      requests: [""],
    },
    {
      name: "koa-mount",
      version: "4.2.0",
      code: `
import Koa from "koa";
import mount from "koa-mount";
const a = new Koa();
a.use(async (ctx, next) => {
  await next();
  ctx.body = "Hello from a, at " + ctx.path;
});
app.use(mount(prefix + "/a", a));
`,
      requests: ["/a", "/a/b", "/a/b/"],
    },
    {
      name: "koa-body",
      version: "8.0.1",
      code: `
import { koaBody } from "koa-body";
router.post("/", koaBody({ multipart: true }), (ctx) => {
  const files = Object.values(ctx.request.files ?? {}).flat();
  ctx.body = { body: ctx.request.body, files: files.map(({ originalFilename, size }) => ({ originalFilename, size })) };
});
`,
      requests: [
        json({ a: 1 }),
        json({}, { body: "{" }),
        form("a=1"),
        { method: "POST", body: smallUpload },
        { method: "POST", body: upload },
        { method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
      ],
    },
    {
      name: "@koa/multer",
      version: "4.0.0",
      with: { multer: "2.5.0" },
      code: `
import { tmpdir } from "node:os";
import multer from "@koa/multer";
const upload = multer({ dest: tmpdir() });
const show = ({ originalname, size }) => ({ originalname, size });
router.post("/", upload.single("file"), (ctx) => {
  ctx.body = { file: show(ctx.file), title: ctx.request.body.title };
});
router.post("/files", upload.array("files"), (ctx) => {
  ctx.body = ctx.files.map(show);
});
router.post("/memory", multer().any(), (ctx) => {
  ctx.body = ctx.files.map(show);
});
`,
      requests: [
        { method: "POST", body: smallUpload },
        { path: "/files", method: "POST", body: upload },
        { path: "/memory", method: "POST", body: upload },
        { method: "POST", body: upload, status: 500 },
      ],
    },
    {
      name: "koa-logger",
      version: "4.0.0",
      code: `
import logger from "koa-logger";
const lines = [];
router.use(logger((text, args) => lines.push(args[1] + " " + args[2] + " " + (args[3] ?? ""))));
router.get("/", (ctx) => {
  ctx.body = "logged";
});
router.get("/lines", (ctx) => {
  ctx.body = lines;
});
`,
      requests: ["", "/lines"],
    },
    {
      name: "@koa/ejs",
      version: "5.1.0",
      code: `
import path from "node:path";
import render from "@koa/ejs";
render(app, { root: path.join(process.cwd(), "views"), layout: false, viewExt: "ejs" });
router.get("/", async (ctx) => {
  await ctx.render("hello", { name: "you" });
});
`,
      requests: [""],
    },
    {
      name: "@koa/etag",
      version: "5.0.2",
      with: { "koa-conditional-get": "3.0.0" },
      code: `
import conditional from "koa-conditional-get";
import etag from "@koa/etag";
router.use(conditional());
router.use(etag());
router.get("/", (ctx) => {
  ctx.body = { name: "tobi" };
});
`,
      requests: ["", { headers: { "If-None-Match": '"f-dnEfm4R8Uc6IvQVhjl9OYaGNBvw"' } }],
    },
    {
      name: "koa-ratelimit",
      version: "6.0.0",
      code: `
import ratelimit from "koa-ratelimit";
router.use(ratelimit({ driver: "memory", db: new Map(), duration: 60000, id: () => "everyone", max: 2 }));
router.get("/", (ctx) => {
  ctx.body = "within the limit";
});
`,
      requests: ["", "", ""],
      masks: [/^\d{2,}[\d.]*$/g, /\d+ (seconds|minute)/g],
    },
    {
      name: "koa-jwt",
      version: "4.0.4",
      with: { jsonwebtoken: "9.0.3" },
      code: `
import jwt from "koa-jwt";
router.use(jwt({ secret: "not-a-secret-for-tests" }));
router.get("/", (ctx) => {
  ctx.body = ctx.state.user;
});
`,
      requests: ["", { headers: { Authorization: "Bearer wrong" } }, { headers: { Authorization: bearer } }],
    },
    {
      name: "koa-passport",
      version: "6.0.0",
      with: { "passport-local": "1.0.0", "koa-session": "7.0.2", "koa-bodyparser": "4.4.1" },
      code: `
import bodyParser from "koa-bodyparser";
import passport from "koa-passport";
import session from "koa-session";
import { Strategy } from "passport-local";
app.keys = ["not-a-secret-for-tests"];
passport.serializeUser((user, done) => done(null, user.name));
passport.deserializeUser((name, done) => done(null, { name }));
passport.use(new Strategy((name, password, done) => done(null, password === "right" ? { name } : false)));
router.use(session({ key: "passport" }, app));
router.use(bodyParser());
router.use(passport.initialize());
router.use(passport.session());
router.post("/login", passport.authenticate("local", { successRedirect: "/app", failureRedirect: "/" }));
router.post("/strict", passport.authenticate("local"));
router.get("/", (ctx) => {
  ctx.body = { user: ctx.state.user ?? null };
});
`,
      requests: [
        "",
        form("username=ann&password=wrong", { path: "/login" }),
        form("username=ann&password=wrong", { path: "/strict" }),
        form("username=ann&password=right", { path: "/login" }),
        "",
      ],
      masks: [/(passport|koa\.sess)(\.sig)?=[^;]*/g],
    },
    {
      name: "koa2-swagger-ui",
      version: "5.12.0",
      code: `
import { koaSwagger } from "koa2-swagger-ui";
router.get("/docs", koaSwagger({ routePrefix: false, swaggerOptions: { spec: { openapi: "3.1.0" } } }));
`,
      requests: ["/docs"],
    },
    {
      name: "koa-json",
      version: "2.0.2",
      code: `
import json from "koa-json";
router.use(json());
router.get("/", (ctx) => {
  ctx.body = { foo: "bar" };
});
`,
      requests: ["", "?pretty"],
    },
    {
      name: "koa-connect",
      version: "2.1.1",
      with: { cors: "2.8.6" },
      code: `
import cors from "cors";
import c2k from "koa-connect";
router.use(c2k(cors()));
router.get("/", (ctx) => {
  ctx.body = "with middleware";
});
`,
      requests: [""],
    },
    {
      name: "koa-proxies",
      version: "0.12.4",
      code: `
import { createServer } from "node:http";
import proxy from "koa-proxies";
const target = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  res.setHeader("X-Target", "yes");
  res.end(JSON.stringify({ method: req.method, url: req.url, body: Buffer.concat(chunks).toString() }));
});
target.listen(0, "127.0.0.1", () => {
  options.target = \`http://127.0.0.1:\${target.address().port}\`;
});
target.unref();
const options = { target: "http://127.0.0.1", changeOrigin: true };
app.use(proxy(prefix + "/api", () => options));
`,
      requests: [
        "/api/a?b=c",
        { path: "/api/post", method: "POST", body: "text" },
        json({ a: 1 }, { path: "/api/post" }),
      ],
    },
    {
      name: "koa-range",
      version: "0.3.0",
      code: `
import range from "koa-range";
router.use(range);
router.get("/", (ctx) => {
  ctx.body = "0123456789".repeat(10);
});
`,
      requests: ["", { headers: { Range: "bytes=0-9" } }, { headers: { Range: "bytes=-5" } }],
    },
    {
      name: "koa-sse-stream",
      version: "0.2.0",
      code: `
import sse from "koa-sse-stream";
router.get("/", sse({ maxClients: 10, pingInterval: 3_600_000 }), (ctx) => {
  let count = 0;
  const timer = setInterval(() => {
    if (++count > 8) {
      clearInterval(timer);
      ctx.sse.sendEnd();
    } else ctx.sse.send({ event: "tick", data: String(count) });
  }, 250);
});
`,
      requests: [""],
    },
    {
      name: "koa-websocket",
      version: "7.0.0",
      code: `
import websockify from "koa-websocket";
websockify(app);
app.ws.use((ctx, next) => {
  ctx.websocket.on("message", (message) => ctx.websocket.send("echo of " + message + " at " + ctx.path));
  return next(ctx);
});
app.ws.listen({ server });
`,
      requests: [{ socket: ["hello", "again"] }, { path: "/deeper?query=1", socket: ["hello"] }, ""],
    },
    {
      name: "answers",
      about: "streams, server-sent events, files, redirects, errors",
      code: `
import { createReadStream } from "node:fs";
import { PassThrough, Readable } from "node:stream";
router.get("/stream", (ctx) => {
  ctx.type = "text/plain";
  ctx.body = Readable.from(["a", "b", "c"]);
});
router.get("/file", (ctx) => {
  ctx.type = "text/plain";
  ctx.body = createReadStream("public/large.txt");
});
router.get("/none", (ctx) => {
  ctx.body = createReadStream("public/none.txt");
});
router.get("/web", (ctx) => {
  ctx.body = new Response("web", { headers: { "X-Web": "yes" } });
});
router.get("/blob", (ctx) => {
  ctx.body = new Blob(["blob"], { type: "text/plain" });
});
router.get("/events", (ctx) => {
  ctx.set({ "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  const stream = new PassThrough();
  ctx.body = stream;
  let count = 0;
  const timer = setInterval(() => {
    stream.write(\`data: \${++count}\\n\\n\`);
    if (count === 12) {
      clearInterval(timer);
      stream.end();
    }
  }, 250);
});
router.get("/respond", (ctx) => {
  ctx.respond = false;
  ctx.res.writeHead(200, { "Content-Type": "text/plain" });
  ctx.res.end("by hand");
});
router.get("/relative", (ctx) => ctx.redirect("file"));
router.get("/absolute", (ctx) => {
  ctx.status = 301;
  ctx.redirect("https://example.com/a");
});
router.get("/attachment", (ctx) => {
  ctx.attachment("a.txt");
  ctx.body = "attached";
});
router.get("/cookies", (ctx) => {
  ctx.cookies.set("name", "tobi", { signed: false });
  ctx.body = { name: ctx.cookies.get("name") ?? null };
});
router.get("/cached", (ctx) => {
  ctx.set("Cache-Control", "public, max-age=60");
  ctx.etag = "1";
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = "cached";
});
router.get("/teapot", (ctx) => ctx.throw(418, "teapot"));
router.get("/empty", (ctx) => {
  ctx.body = null;
});
`,
      requests: [
        "/stream",
        "/file",
        { path: "/none", status: 0 },
        "/web",
        "/blob",
        "/events",
        "/respond",
        "/relative",
        "/absolute",
        "/attachment",
        "/cookies",
        "/cookies",
        "/cached",
        { path: "/cached", headers: { "If-None-Match": '"1"', "Cache-Control": "max-age=0" } },
        "/teapot",
        "/empty",
        { path: "/file", method: "HEAD" },
      ],
    },
  ],
};
