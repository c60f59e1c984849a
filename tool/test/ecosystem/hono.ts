import { bearer, type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  plain: `import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { packages } from "../src/packages/list.ts";

const parts = { server: createAdaptorServer({ fetch: (request, env) => app.fetch(request, env) }) };
const app = new Hono()
// packages
parts.server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ message: "listening", port: parts.server.address().port }));
});
`,
  mount: `      .route("/", packages.reduce((all, [path, mount]) => all.route(path, mount(new Hono(), () => app, parts.server)), new Hono()))`,
  signature: `export default function (app, root, server) {
// code
return app;
}`,
  packages: [
    {
      name: "@hono/zod-validator",
      version: "0.9.1",
      with: { zod: "4.6.7" },
      code: `
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
const schema = z.object({ name: z.string(), age: z.number() });
app.post("/author", zValidator("json", schema), (c) => {
  const data = c.req.valid("json");
  return c.json({ success: true, message: \`\${data.name} is \${data.age}\` });
});
app.get("/", zValidator("query", z.object({ page: z.coerce.number() })), (c) => c.json(c.req.valid("query")));
app.post("/form", zValidator("form", z.object({ title: z.string() })), (c) => c.json(c.req.valid("form")));
`,
      requests: [
        json({ name: "Ann", age: 20 }, { path: "/author" }),
        json({ name: "Ann" }, { path: "/author" }),
        json({}, { path: "/author", body: "{" }),
        "?page=2",
        "?page=x",
        form("title=a%20b", { path: "/form" }),
        form("", { path: "/form" }),
      ],
    },
    {
      name: "@hono/zod-openapi",
      version: "1.6.3",
      with: { zod: "4.6.7" },
      code: `
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
const own = new OpenAPIHono();
const route = createRoute({
  method: "get",
  path: "/users/{id}",
  request: { params: z.object({ id: z.string().min(3).openapi({ param: { name: "id", in: "path" }, example: "1212121" }) }) },
  responses: { 200: { content: { "application/json": { schema: z.object({ id: z.string() }).openapi("User") } }, description: "A user" } },
});
own.openapi(route, (c) => c.json({ id: c.req.valid("param").id }, 200));
const create = createRoute({
  method: "post",
  path: "/users",
  request: { body: { content: { "application/json": { schema: z.object({ name: z.string() }) } }, required: true } },
  responses: { 201: { description: "Made" } },
});
own.openapi(create, (c) => c.json(c.req.valid("json"), 201));
own.doc("/doc", { openapi: "3.0.0", info: { version: "1.0.0", title: "My API" } });
app.route("/", own);
`,
      requests: [
        "/users/1212121",
        "/users/1",
        json({ name: "Ann" }, { path: "/users" }),
        json({}, { path: "/users" }),
        "/doc",
      ],
    },
    {
      name: "@hono/swagger-ui",
      version: "0.6.1",
      code: `
import { swaggerUI } from "@hono/swagger-ui";
app.get("/ui", swaggerUI({ url: "/doc" }));
`,
      requests: ["/ui"],
    },
    {
      name: "@scalar/hono-api-reference",
      version: "0.12.4",
      code: `
import { Scalar } from "@scalar/hono-api-reference";
app.get("/scalar", Scalar({ url: "/doc" }));
`,
      requests: ["/scalar"],
    },
    {
      name: "hono-openapi",
      version: "1.3.3",
      with: { valibot: "1.5.0", "@valibot/to-json-schema": "1.8.0" },
      code: `
import { describeRoute, openAPIRouteHandler, resolver, validator } from "hono-openapi";
import * as v from "valibot";
const querySchema = v.object({ name: v.optional(v.string()) });
app.get(
  "/",
  describeRoute({
    description: "Say hello to the user",
    responses: { 200: { description: "Successful response", content: { "text/plain": { schema: resolver(v.string()) } } } },
  }),
  validator("query", querySchema),
  (c) => c.text(\`Hello \${c.req.valid("query")?.name ?? "Hono"}!\`),
);
app.post("/", validator("json", v.object({ n: v.number() })), (c) => c.json(c.req.valid("json")));
app.get("/openapi", openAPIRouteHandler(app, { documentation: { info: { title: "Hono", version: "1.0.0" } } }));
`,
      requests: ["?name=Ann", "", json({ n: 1 }), json({ n: "1" }), "/openapi"],
    },
    {
      name: "@hono/standard-validator",
      version: "0.4.0",
      with: { valibot: "1.5.0" },
      code: `
import { sValidator } from "@hono/standard-validator";
import * as v from "valibot";
app.post("/author", sValidator("json", v.object({ name: v.string() })), (c) => c.json(c.req.valid("json")));
`,
      requests: [json({ name: "Ann" }, { path: "/author" }), json({}, { path: "/author" })],
    },
    {
      name: "@hono/valibot-validator",
      version: "0.6.1",
      with: { valibot: "1.5.0" },
      code: `
import { vValidator } from "@hono/valibot-validator";
import { number, object, string } from "valibot";
app.post("/author", vValidator("json", object({ name: string(), age: number() })), (c) => c.json(c.req.valid("json")));
`,
      requests: [json({ name: "Ann", age: 1 }, { path: "/author" }), json({}, { path: "/author" })],
    },
    {
      name: "@hono/trpc-server",
      version: "0.4.2",
      with: { "@trpc/server": "11.23.0", zod: "4.6.7" },
      code: `
import { trpcServer } from "@hono/trpc-server";
import { initTRPC } from "@trpc/server";
import { z } from "zod";
const t = initTRPC.create();
const appRouter = t.router({
  hello: t.procedure.input(z.string()).query(({ input }) => \`Hello \${input}!\`),
  add: t.procedure.input(z.object({ n: z.number() })).mutation(({ input }) => input.n + 1),
});
app.use("/trpc/*", trpcServer({ router: appRouter, endpoint: "/hono-trpc-server/trpc" }));
`,
      requests: [
        "/trpc/hello?input=%22you%22",
        json({ n: 1 }, { path: "/trpc/add" }),
        json({ n: "1" }, { path: "/trpc/add" }),
        json({ 0: { n: "1" } }, { path: "/trpc/add?batch=1" }),
      ],
    },
    {
      name: "hono-rate-limiter",
      version: "0.5.4",
      code: `
import { rateLimiter } from "hono-rate-limiter";
app.use(rateLimiter({ windowMs: 15 * 60 * 1000, limit: 2, standardHeaders: "draft-6", keyGenerator: () => "everyone" }));
app.get("/", (c) => c.text("within the limit"));
`,
      requests: ["", "", ""],
      masks: [/^\d{3}$/g],
    },
    {
      name: "@hono/graphql-server",
      version: "0.7.0",
      with: { graphql: "16.12.0" },
      code: `
import { graphqlServer } from "@hono/graphql-server";
import { buildSchema } from "graphql";
const schema = buildSchema("type Query { hello: String }");
app.use("/graphql", graphqlServer({ schema, rootResolver: () => ({ hello: () => "Hello Hono!" }), graphiql: true }));
`,
      requests: [
        json({ query: "{ hello }" }, { path: "/graphql" }),
        "/graphql?query=%7Bhello%7D",
        json({ query: "{ none }" }, { path: "/graphql" }),
      ],
    },
    {
      name: "hono-sessions",
      version: "0.8.1",
      code: `
import { CookieStore, sessionMiddleware } from "hono-sessions";
app.use("*", sessionMiddleware({ store: new CookieStore(), encryptionKey: "not-a-secret-but-32-characters-long!", expireAfterSeconds: 900, cookieOptions: { path: "/" } }));
app.get("/", (c) => {
  const session = c.get("session");
  session.set("views", (session.get("views") ?? 0) + 1);
  return c.json({ views: session.get("views") });
});
app.get("/missing", (c) => c.text("missing", 404));
`,
      requests: ["", "", "/missing", ""],
      masks: [/session=[^;]*/g],
    },
    {
      name: "hono-pino",
      version: "0.10.3",
      with: { pino: "10.4.0" },
      code: `
import { pinoLogger } from "hono-pino";
import { pino } from "pino";
const lines = [];
app.use(pinoLogger({ pino: pino({}, { write: (line) => lines.push(JSON.parse(line).msg) }) }));
app.get("/", (c) => {
  c.var.logger.info("something else");
  return c.text("hello");
});
app.get("/lines", (c) => c.json(lines));
`,
      requests: ["", "/lines"],
    },
    {
      name: "@hono/prometheus",
      version: "1.0.3",
      with: { "prom-client": "15.1.3" },
      code: `
import { prometheus } from "@hono/prometheus";
const { printMetrics, registerMetrics } = prometheus();
app.use("*", registerMetrics);
app.get("/metrics", printMetrics);
app.get("/", (c) => c.text("foo"));
`,
      requests: ["", "/metrics"],
      masks: [/(?<= )[\d.e-]+$/gm],
    },
    {
      name: "@hono/arktype-validator",
      version: "2.0.1",
      with: { arktype: "2.2.9" },
      code: `
import { arktypeValidator } from "@hono/arktype-validator";
import { type } from "arktype";
app.post("/author", arktypeValidator("json", type({ name: "string", age: "number" })), (c) => c.json(c.req.valid("json")));
`,
      requests: [json({ name: "Ann", age: 1 }, { path: "/author" }), json({}, { path: "/author" })],
    },
    {
      name: "@hono/event-emitter",
      version: "2.0.0",
      code: `
import { emitter } from "@hono/event-emitter";
let count = 0;
app.use(emitter({ "user:created": [() => count++] }));
app.post("/", async (c) => {
  await c.get("emitter").emitAsync(c, "user:created", {});
  return c.json({ count });
});
`,
      requests: [{ method: "POST" }],
    },
    {
      name: "ws",
      version: "8.22.2",
      about: "`upgradeWebSocket` of @hono/node-server",
      code: `
import { createAdaptorServer, upgradeWebSocket } from "@hono/node-server";
import { WebSocketServer } from "ws";
app.get("/", upgradeWebSocket(() => ({
  onMessage(event, ws) {
    ws.send("echo of " + event.data);
  },
})));
createAdaptorServer({
  fetch: (request, env) => root().fetch(request, env),
  createServer: () => server,
  websocket: { server: new WebSocketServer({ noServer: true }) },
});
`,
      requests: [{ socket: ["hello", "again"] }, { path: "/nowhere", socket: ["hello"], status: 0 }, ""],
    },
    {
      name: "middleware",
      about:
        "compress, cors, etag, secureHeaders, jwt, basicAuth, cookies, csrf, bodyLimit, requestId, logger, timing, cache headers",
      code: `
import { Hono } from "hono";
import { basicAuth } from "hono/basic-auth";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { deleteCookie, getCookie, getSignedCookie, setCookie, setSignedCookie } from "hono/cookie";
import { cors } from "hono/cors";
import { csrf } from "hono/csrf";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { jwt, sign } from "hono/jwt";
import { logger } from "hono/logger";
import { prettyJSON } from "hono/pretty-json";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import { timeout } from "hono/timeout";
import { timing } from "hono/timing";
app.use("/compress/*", compress());
app.get("/compress/large", (c) => c.text("compress me ".repeat(500)));
app.get("/compress/missing", (c) => c.json({ text: "x".repeat(2000) }, 404));
app.get("/compress/broken", () => {
  throw new Error("broken");
});
app.use("/cors/*", cors({ origin: "http://example.com", credentials: true }));
app.get("/cors/a", (c) => c.text("cors"));
app.use("/etag/*", etag());
app.get("/etag/a", (c) => c.text("tagged"));
app.use("/secure/*", secureHeaders());
app.get("/secure/a", (c) => c.text("secure"));
app.use("/jwt/*", jwt({ secret: "not-a-secret-for-tests", alg: "HS256" }));
app.get("/jwt/a", (c) => c.json(c.get("jwtPayload")));
app.use("/basic/*", basicAuth({ username: "hono", password: "not-a-secret" }));
app.get("/basic/a", (c) => c.text("You are authorized"));
app.get("/cookie", async (c) => {
  const before = getCookie(c);
  const signed = await getSignedCookie(c, "not-a-secret", "signed");
  setCookie(c, "plain", "a b", { httpOnly: true, path: "/" });
  await setSignedCookie(c, "signed", "value", "not-a-secret", { path: "/" });
  return c.json({ plain: before.plain ?? null, signed: signed ?? null });
});
app.get("/cookie/clear", (c) => {
  deleteCookie(c, "plain");
  return c.text("cleared", 410);
});
app.use("/csrf/*", csrf({ origin: "http://example.com" }));
app.post("/csrf/a", (c) => c.text("posted"));
app.post("/limit", bodyLimit({ maxSize: 10, onError: (c) => c.text("overflow", 413) }), async (c) => c.text(await c.req.text()));
app.use("/id/*", requestId({ generator: () => "fixed" }));
app.get("/id/a", (c) => c.json({ hasId: c.get("requestId").length > 0 }));
app.use("/log/*", logger(() => {}));
app.get("/log/a", (c) => c.text("logged"));
app.use("/timing/*", timing({ total: false }));
app.get("/timing/a", (c) => c.text("timed"));
app.use("/pretty/*", prettyJSON());
app.get("/pretty/a", (c) => c.json({ a: 1 }));
app.use("/timeout/*", timeout(100));
app.get("/timeout/a", async (c) => {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return c.text("late");
});
app.get("/teapot", () => {
  throw new HTTPException(418, { message: "teapot" });
});
`,
      requests: [
        "/compress/large",
        { path: "/compress/large", headers: { "Accept-Encoding": "gzip" } },
        "/compress/missing",
        { path: "/compress/none", headers: { "Accept-Encoding": "gzip" } },
        { path: "/compress/broken", status: 500 },
        { path: "/cors/a", headers: { Origin: "http://example.com" } },
        { path: "/cors/none", headers: { Origin: "http://example.com" } },
        "/etag/a",
        { path: "/etag/a", headers: { "If-None-Match": '"eb83e1f79ad0f22d9c4e6ab54cc3bb6bb7ca1a05"' } },
        "/secure/a",
        "/secure/none",
        "/jwt/a",
        { path: "/jwt/a", headers: { Authorization: "Bearer wrong" } },
        { path: "/jwt/a", headers: { Authorization: bearer } },
        "/basic/a",
        { path: "/basic/a", headers: { Authorization: `Basic ${btoa("hono:not-a-secret")}` } },
        "/cookie",
        "/cookie",
        "/cookie/clear",
        form("a=b", { path: "/csrf/a", headers: { Origin: "http://other.example" } }),
        form("a=b", { path: "/csrf/a", headers: { Origin: "http://example.com" } }),
        { path: "/limit", method: "POST", body: "short" },
        { path: "/limit", method: "POST", body: "much too long for it" },
        "/id/a",
        "/log/a",
        "/timing/a",
        "/pretty/a?pretty",
        { path: "/timeout/a", status: 504, isThrown: true },
        "/teapot",
      ],
    },
    {
      name: "pages",
      about: "hono/jsx with streaming and layouts, hono/html, hono/proxy, conninfo, context storage",
      code: `
import { getConnInfo } from "@hono/node-server/conninfo";
import { contextStorage, getContext } from "hono/context-storage";
import { html, raw } from "hono/html";
import { jsx } from "hono/jsx";
import { jsxRenderer } from "hono/jsx-renderer";
import { renderToReadableStream, Suspense } from "hono/jsx/streaming";
import { proxy } from "hono/proxy";
const Late = async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return jsx("p", {}, "late");
};
app.get("/jsx", (c) => c.html(jsx("h1", { id: "a" }, "Hello <b>")));
app.get("/stream", (c) => {
  const body = renderToReadableStream(jsx("main", {}, jsx(Suspense, { fallback: jsx("p", {}, "soon") }, jsx(Late, {}))));
  return c.body(body, { headers: { "Content-Type": "text/html; charset=UTF-8", "Transfer-Encoding": "chunked" } });
});
app.use("/layout/*", jsxRenderer(({ children }) => jsx("html", {}, jsx("body", {}, children))));
app.get("/layout/a", (c) => c.render(jsx("p", {}, "inside")));
app.get("/html", (c) => c.html(html\`<p>\${"<escaped>"} \${raw("<b>raw</b>")}</p>\`));
app.get("/conn", (c) => c.json({ address: getConnInfo(c).remote.address }));
app.use("/stored", contextStorage());
app.get("/stored", (c) => c.text(getContext().req.path));
app.get("/target", (c) => c.json({ accept: c.req.header("accept") }, 200, { "X-Target": "yes" }));
app.post("/target", async (c) => c.json({ body: await c.req.text() }));
app.all("/proxy", (c) => proxy(new URL("/pages/target", c.req.url), { ...c.req, headers: { accept: "text/x-test" } }));
`,
      requests: [
        "/jsx",
        "/stream",
        "/layout/a",
        "/html",
        "/conn",
        "/stored",
        "/proxy",
        json({ a: 1 }, { path: "/proxy" }),
      ],
    },
    {
      name: "answers",
      about: "uploads, streams, server-sent events, files, redirects",
      code: `
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { serveStatic } from "@hono/node-server/serve-static";
import { stream, streamSSE, streamText } from "hono/streaming";
app.post("/upload", async (c) => {
  const body = await c.req.parseBody({ all: true });
  const files = [body.files ?? body.file].flat();
  return c.json({ title: body.title, files: files.map(({ name, size, type }) => ({ name, size, type })) });
});
app.post("/form-data", async (c) => c.json({ keys: [...(await c.req.formData()).keys()] }));
app.post("/text", async (c) => c.text(await c.req.text()));
app.post("/bytes", async (c) => c.json({ size: (await c.req.arrayBuffer()).byteLength }));
app.post("/blob", async (c) => c.json({ size: (await c.req.blob()).size }));
app.post("/raw", async (c) => c.json({ size: (await c.req.raw.clone().bytes()).length }));
app.post("/json", async (c) => c.json(await c.req.json()));
app.use("/static/*", serveStatic({ root: "./public", rewriteRequestPath: (path) => path.replace("/answers/static", "") }));
app.get("/file", () => new Response(Readable.toWeb(createReadStream("public/large.txt"))));
app.get("/stream", (c) =>
  stream(c, async (stream) => {
    await stream.write("a");
    await stream.sleep(50);
    await stream.write("b");
  }),
);
app.get("/text", (c) =>
  streamText(c, async (stream) => {
    await stream.writeln("Hello");
    await stream.sleep(50);
    await stream.write("Hono!");
  }),
);
app.get("/events", (c) =>
  streamSSE(c, async (stream) => {
    for (let id = 1; id <= 12; id++) {
      await stream.writeSSE({ data: "tick", event: "time", id: String(id) });
      await stream.sleep(250);
    }
  }),
);
app.get("/relative", (c) => c.redirect("file"));
app.get("/absolute", (c) => c.redirect("https://example.com/a", 301));
app.get("/html", (c) => c.html("<h1>Hello</h1>"));
app.get("/cached", (c) => c.text("cached", 200, { "Cache-Control": "public, max-age=60" }));
app.get("/empty", (c) => c.body(null, 204));
app.notFound((c) => c.text("not here", 404));
`,
      requests: [
        { path: "/upload", method: "POST", body: upload },
        { path: "/upload", method: "POST", body: smallUpload },
        { path: "/form-data", method: "POST", body: smallUpload },
        { path: "/text", method: "POST", body: "text" },
        { path: "/bytes", method: "POST", body: "x".repeat(5_000_000) },
        { path: "/blob", method: "POST", body: "x".repeat(100_000) },
        { path: "/raw", method: "POST", body: "raw" },
        json({ a: 1 }, { path: "/json" }),
        "/static/hello.txt",
        "/static/",
        "/static/none.txt",
        { path: "/static/large.txt", headers: { Range: "bytes=0-9" } },
        { path: "/static/large.txt", method: "HEAD" },
        "/file",
        "/stream",
        "/text",
        "/events",
        "/relative",
        "/absolute",
        "/html",
        "/cached",
        "/empty",
        "/none",
      ],
    },
  ],
};
