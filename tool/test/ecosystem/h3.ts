import { type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  plain: `import { EventEmitter } from "node:events";
import { H3, serve } from "h3";
import { packages } from "../src/packages/list.ts";

const app = new H3({ silent: true });
const parts = { server: new EventEmitter() };
// packages
const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true, gracefulShutdown: false });
server.node.server.on("upgrade", (...args) => parts.server.emit("upgrade", ...args));
await server.ready();
console.log(JSON.stringify({ message: "listening", port: Number(new URL(server.url).port) }));
`,
  mount: `  for (const [path, mount] of packages) {
    const own = new H3();
    mount(own, path, app, parts.server);
    app.mount(path, own);
  }`,
  signature: `export default function (app, path, root, server) {
// code
}`,
  packages: [
    {
      name: "zod",
      version: "4.6.7",
      code: `
import { getValidatedQuery, getValidatedRouterParams, readValidatedBody } from "h3";
import { z } from "zod";
app.post("/", (event) => readValidatedBody(event, z.object({ name: z.string().min(3) })));
app.get("/", (event) => getValidatedQuery(event, z.object({ page: z.coerce.number() })));
app.get("/users/:id", (event) => getValidatedRouterParams(event, z.object({ id: z.coerce.number() })));
`,
      requests: [json({ name: "anna" }), json({ name: "a" }), "?page=2", "?page=x", "/users/5", "/users/x"],
    },
    {
      name: "valibot",
      version: "1.5.0",
      code: `
import { readValidatedBody } from "h3";
import * as v from "valibot";
app.post("/", (event) => readValidatedBody(event, v.object({ n: v.number() })));
`,
      requests: [json({ n: 1 }), json({ n: "1" })],
    },
    {
      name: "unstorage",
      version: "1.17.6",
      code: `
import { readBody } from "h3";
import { createStorage } from "unstorage";
const storage = createStorage();
app.put("/:key", async (event) => {
  await storage.setItem(event.context.params.key, await readBody(event));
  return "stored";
});
app.get("/:key", (event) => storage.getItem(event.context.params.key));
`,
      requests: [json({ a: 1 }, { method: "PUT", path: "/one" }), "/one"],
    },
    {
      name: "ofetch",
      version: "1.5.1",
      code: `
import { ofetch } from "ofetch";
app.get("/target", () => ({ hello: "target" }));
app.get("/", (event) => ofetch(new URL(path + "/target", event.url).href));
`,
      requests: [""],
    },
    {
      name: "jose",
      version: "6.2.17",
      code: `
import { HTTPError } from "h3";
import { jwtVerify, SignJWT } from "jose";
const secret = new TextEncoder().encode("not-a-secret-for-tests");
app.get("/login", async () => {
  const token = await new SignJWT({ name: "ann" }).setProtectedHeader({ alg: "HS256" }).sign(secret);
  return { name: (await jwtVerify(token, secret)).payload.name };
});
app.get("/me", async (event) => {
  const token = event.req.headers.get("authorization") ?? "";
  const { payload } = await jwtVerify(token, secret).catch(() => {
    throw new HTTPError({ status: 401, message: "no" });
  });
  return payload;
});
`,
      requests: ["/login", "/me"],
    },
    {
      name: "cookie-es",
      version: "3.1.1",
      code: `
import { parse, serialize } from "cookie-es";
app.get("/", (event) => {
  event.res.headers.append("set-cookie", serialize("a", "b c", { httpOnly: true }));
  return { ...parse(event.req.headers.get("cookie") ?? "") };
});
`,
      requests: ["", ""],
    },
    {
      name: "helmet",
      version: "8.3.0",
      code: `
import { fromNodeHandler } from "h3";
import helmet from "helmet";
app.use(fromNodeHandler(helmet()));
app.get("/", () => "safe");
`,
      requests: ["", "/none"],
    },
    {
      name: "cors",
      version: "2.8.6",
      code: `
import cors from "cors";
import { fromNodeHandler } from "h3";
app.use(fromNodeHandler(cors({ origin: "http://example.com" })));
app.get("/", () => "cors");
`,
      requests: [{ headers: { Origin: "http://example.com" } }],
    },
    {
      name: "compression",
      version: "1.8.2",
      code: `
import compression from "compression";
import { fromNodeHandler } from "h3";
app.use(fromNodeHandler(compression()));
app.get("/", () => "compress me ".repeat(500));
app.get("/missing", (event) => {
  event.res.status = 404;
  return "x".repeat(5000);
});
app.get("/broken", () => {
  throw new Error("broken");
});
`,
      requests: ["", { headers: { "Accept-Encoding": "gzip" } }, "/missing", { path: "/broken", status: 500 }, "/none"],
    },
    {
      name: "express-session",
      version: "1.19.0",
      code: `
import session from "express-session";
import { fromNodeHandler } from "h3";
app.use(fromNodeHandler(session({ secret: "not-a-secret", resave: false, saveUninitialized: true })));
app.get("/", (event) => {
  const { session } = event.runtime.node.req;
  session.views = (session.views ?? 0) + 1;
  return { views: session.views };
});
`,
      requests: ["", ""],
      masks: [/connect\.sid=[^;]*/g],
    },
    {
      name: "express-rate-limit",
      version: "8.7.4",
      code: `
import { rateLimit } from "express-rate-limit";
import { fromNodeHandler } from "h3";
app.use(fromNodeHandler(rateLimit({ windowMs: 60_000, limit: 2, validate: false, keyGenerator: () => "everyone", handler: (_req, res) => {
  res.statusCode = 429;
  res.end("too many");
} })));
app.get("/", () => "within the limit");
`,
      requests: ["", "", ""],
      masks: [/^\d+$/g],
    },
    {
      name: "pino-http",
      version: "11.0.0",
      code: `
import { fromNodeHandler } from "h3";
import pinoHttp from "pino-http";
const lines = [];
app.use(fromNodeHandler(pinoHttp({}, { write: (line) => lines.push(JSON.parse(line).msg) })));
app.get("/", (event) => {
  event.runtime.node.req.log.info("something else");
  return "logged";
});
app.get("/lines", () => lines);
`,
      requests: ["", "/lines"],
    },
    {
      name: "sirv",
      version: "3.0.2",
      code: `
import { fromNodeHandler } from "h3";
import sirv from "sirv";
app.use("/static/**", fromNodeHandler((req, res, next) => {
  req.url = req.url.replace(path + "/static", "");
  return sirv("public", { dev: true })(req, res, next);
}));
`,
      requests: ["/static/hello.txt", "/static/none.txt"],
    },
    {
      name: "graphql-yoga",
      version: "5.24.1",
      with: { graphql: "16.12.0" },
      code: `
import { createSchema, createYoga } from "graphql-yoga";
const yoga = createYoga({
  schema: createSchema({ typeDefs: "type Query { hello: String }", resolvers: { Query: { hello: () => "world" } } }),
  graphqlEndpoint: path + "/graphql",
  logging: false,
});
app.all("/graphql", (event) => yoga.fetch(event.req, {}));
`,
      requests: [
        json({ query: "{ hello }" }, { path: "/graphql" }),
        "/graphql?query=%7Bhello%7D",
        json({ query: "{ none }" }, { path: "/graphql" }),
      ],
    },
    {
      name: "hono",
      version: "4.13.17",
      about: "mounted as a web application",
      code: `
import { Hono } from "hono";
const hono = new Hono();
hono.get(path + "/app/hello", (c) => c.json({ from: "hono" }));
hono.post(path + "/app/echo", async (c) => c.json(await c.req.json()));
app.all("/app/**", (event) => hono.fetch(event.req));
`,
      requests: ["/app/hello", json({ a: 1 }, { path: "/app/echo" }), "/app/none"],
    },
    {
      name: "iron-webcrypto",
      version: "2.0.0",
      about: "h3's sealed sessions",
      code: `
import { useSession } from "h3";
app.get("/", async (event) => {
  const session = await useSession(event, { password: "not a secret, but longer than 32 characters", cookie: { secure: false } });
  await session.update({ views: (session.data.views ?? 0) + 1 });
  return session.data;
});
`,
      requests: ["", ""],
      masks: [/h3=[^;]*/g],
    },
    {
      name: "crossws",
      version: "0.4.17",
      code: `
import crossws from "crossws/adapters/node";
import { defineWebSocketHandler } from "h3";
app.get("/", defineWebSocketHandler({
  message(peer, message) {
    peer.send("echo of " + message.text());
  },
}));
const ws = crossws({ resolve: async (req) => (await root.fetch(req)).crossws });
server.on("upgrade", (req, socket, head) => ws.handleUpgrade(req, socket, head));
`,
      requests: [{ socket: ["hello", "again"] }, { path: "?query=1", socket: ["hello"] }, ""],
    },
    {
      name: "middleware",
      about: "handleCors, basicAuth, cookies, bodyLimit, onRequest, onResponse, proxy, defineRoute",
      code: `
import { assertBodySize, basicAuth, deleteCookie, getCookie, handleCors, HTTPError, onResponse, parseCookies, proxy, setCookie } from "h3";
app.use("/cors/**", (event) => {
  const answer = handleCors(event, { origin: ["http://example.com"], methods: ["GET"] });
  if (answer !== false) return answer;
});
app.get("/cors/a", () => "cors");
app.get("/basic", () => "You are in", { middleware: [basicAuth({ password: "not-a-secret" })] });
app.get("/cookies", (event) => {
  setCookie(event, "name", "a b", { httpOnly: true });
  return { name: getCookie(event, "name") ?? null, all: parseCookies(event) };
});
app.get("/cookies/clear", (event) => {
  deleteCookie(event, "name");
  throw new HTTPError({ status: 410, message: "gone" });
});
app.use(onResponse((response) => {
  response.headers?.set?.("x-after", "yes");
}));
app.get("/plain", () => ({ plain: true }));
app.get("/target", () => ({ hello: "target" }));
app.get("/proxy", (event) => proxy(event, new URL(path + "/target", event.url).href));
app.post("/limit", async (event) => {
  await assertBodySize(event, 10);
  return event.req.text();
});
app.get("/teapot", () => {
  throw new HTTPError({ status: 418, message: "teapot", data: { tea: "green" } });
});
`,
      requests: [
        { path: "/cors/a", headers: { Origin: "http://example.com" } },
        "/basic",
        { path: "/basic", headers: { Authorization: `Basic ${btoa("a:not-a-secret")}` } },
        "/cookies",
        "/cookies",
        "/cookies/clear",
        "/plain",
        "/proxy",
        { path: "/limit", method: "POST", body: "short", headers: { "Content-Type": "text/plain" } },
        { path: "/limit", method: "POST", body: "much too long for it", headers: { "Content-Type": "text/plain" } },
        "/teapot",
      ],
    },
    {
      name: "answers",
      about: "uploads, streams, server-sent events, files, redirects",
      code: `
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { createEventStream, html, iterable, readBody, redirect, serveStatic } from "h3";
app.post("/upload", async (event) => {
  const form = await event.req.formData();
  const files = form.getAll("files").concat(form.getAll("file"));
  return { title: form.get("title"), files: files.map(({ name, size }) => ({ name, size })) };
});
app.post("/text", (event) => event.req.text());
app.post("/bytes", async (event) => ({ size: (await event.req.arrayBuffer()).byteLength }));
app.post("/body", (event) => readBody(event));
app.use("/static/**", (event) => {
  const file = (id) => "public/" + id.replace(/^.*\\/static\\//, "");
  return serveStatic(event, {
    indexNames: ["/index.html"],
    getContents: (id) => readFile(file(id)),
    getMeta: async (id) => {
      const stats = await stat(file(id)).catch(() => undefined);
      return stats?.isFile() ? { size: stats.size, mtime: stats.mtimeMs } : undefined;
    },
  });
});
app.get("/file", () => Readable.toWeb(createReadStream("public/large.txt")));
app.get("/node", (event) => {
  event.res.headers.set("content-type", "text/plain");
  return Readable.toWeb(Readable.from(["a", "b", "c"], { objectMode: false }));
});
app.get("/iterable", () => iterable(async function* () {
  yield "a";
  yield "b";
}));
app.get("/events", (event) => {
  const stream = createEventStream(event);
  let count = 0;
  const timer = setInterval(async () => {
    await stream.push("tick " + ++count);
    if (count === 12) {
      clearInterval(timer);
      await stream.close();
    }
  }, 250);
  stream.onClosed(() => clearInterval(timer));
  return stream.send();
});
app.get("/relative", () => redirect("file"));
app.get("/absolute", () => redirect("https://example.com/a", 301));
app.get("/html", () => html("<h1>Hello</h1>"));
app.get("/response", () => new Response("web", { status: 201, headers: { "X-Web": "yes" } }));
app.get("/cached", (event) => {
  event.res.headers.set("cache-control", "public, max-age=60");
  return "cached";
});
app.get("/empty", (event) => {
  event.res.status = 204;
});
`,
      requests: [
        { path: "/upload", method: "POST", body: smallUpload },
        { path: "/upload", method: "POST", body: upload },
        { path: "/text", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        { path: "/bytes", method: "POST", body: "x".repeat(5_000_000), headers: { "Content-Type": "text/plain" } },
        json({ a: 1 }, { path: "/body" }),
        form("a=b&c=d", { path: "/body" }),
        "/static/hello.txt",
        "/static/none.txt",
        "/file",
        "/node",
        "/iterable",
        "/events",
        "/relative",
        "/absolute",
        "/html",
        "/response",
        "/cached",
        "/empty",
      ],
    },
  ],
};
