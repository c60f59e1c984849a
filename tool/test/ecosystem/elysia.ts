import { type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

// On plain Node, Elysia 1.4 ends when it sends a file, and fails to redirect to a relative URL.
const hello = "a file from disk\n";
const large = "0123456789abcdef".repeat(20_000);

const file = (body: string) => ({
  status: 200,
  headers: {
    "accept-ranges": "bytes",
    "content-range": `bytes 0-${body.length - 1}/${body.length}`,
    "content-type": "text/plain",
  },
  body,
});

const asset = (body: string, etag: string) => ({
  status: 200,
  headers: { "cache-control": "public, max-age=86400", etag },
  body,
});

export const ecosystem: Ecosystem = {
  plain: `import { createServer } from "node:net";
import { node as elysiaNode } from "@elysiajs/node";
import { Elysia } from "elysia";
import { packages } from "../src/packages/list.ts";

const adapter = elysiaNode();
const app = new Elysia({ adapter })
// packages
await app.modules;
const free = createServer().listen(0, () => {
  const { port } = free.address();
  free.close(() => app.listen(port, () => console.log(JSON.stringify({ message: "listening", port }))));
});
`,
  mount:
    "      .use(packages.reduce((all, [path, mount]) => all.use(mount(new Elysia({ prefix: path }), path, adapter)), new Elysia()))",
  edit: [
    'import { node, type WithProblems } from "./core/elysia/connect.ts";',
    `import { node as elysiaNode } from "@elysiajs/node";
import { node as base, type WithProblems } from "./core/elysia/connect.ts";

const adapter = base(elysiaNode());
const node = () => adapter;`,
  ],
  signature: `export default function (app, path, adapter) {
// code
return app;
}`,
  packages: [
    {
      name: "@elysiajs/cors",
      version: "1.4.2",
      with: { "@elysiajs/node": "1.4.5" },
      code: `
import { cors } from "@elysiajs/cors";
app.use(cors({ origin: "example.com", allowedHeaders: ["Content-Type"], exposeHeaders: ["X-More"] }));
app.get("/", () => "cors");
`,
      requests: [{ headers: { Origin: "http://example.com" } }, { headers: { Origin: "http://other.example" } }],
    },
    {
      name: "@elysiajs/openapi",
      version: "1.4.16",
      code: `
import { openapi } from "@elysiajs/openapi";
import { t } from "elysia";
app.use(openapi());
app.get("/pets/:id", ({ params }) => params, { params: t.Object({ id: t.Number() }) });
`,
      requests: ["/openapi", "/pets/5", "/pets/x"],
    },
    {
      name: "@elysiajs/swagger",
      version: "1.3.1",
      code: `
import { swagger } from "@elysiajs/swagger";
app.use(swagger());
`,
      requests: ["/swagger"],
    },
    {
      name: "@elysiajs/jwt",
      version: "1.4.2",
      code: `
import { jwt } from "@elysiajs/jwt";
import { status } from "elysia";
app.use(jwt({ name: "jwt", secret: "not-a-secret-for-tests", iat: false }));
app.get("/sign/:name", async ({ jwt, params: { name }, cookie: { auth } }) => {
  auth.set({ value: await jwt.sign({ name }), httpOnly: true, path: "/" });
  return "signed";
});
app.get("/profile", async ({ jwt, cookie: { auth } }) => {
  const profile = await jwt.verify(auth.value);
  if (!profile) return status(401, "Unauthorized");
  return \`Hello \${profile.name}\`;
});
`,
      requests: ["/profile", "/sign/ann", "/profile"],
      masks: [/auth=[^;]*/g],
    },
    {
      name: "@elysiajs/bearer",
      version: "1.4.4",
      code: `
import { bearer } from "@elysiajs/bearer";
import { status } from "elysia";
app.use(bearer());
app.get("/sign", ({ bearer }) => bearer, {
  beforeHandle({ bearer, set }) {
    if (!bearer) {
      set.headers["WWW-Authenticate"] = "Bearer realm='sign', error='invalid_request'";
      return status(400, "Unauthorized");
    }
  },
});
`,
      requests: ["/sign", { path: "/sign", headers: { Authorization: "Bearer 1234" } }],
    },
    {
      name: "@elysiajs/static",
      version: "1.4.10",
      code: `
import { staticPlugin } from "@elysiajs/static";
app.use(staticPlugin({ assets: "public", prefix: "/public" }));
`,
      requests: [
        { path: "/public/hello.txt", here: asset(hello, "/ICsfXzxHGl5kgQtqSTfaA==") },
        { path: "/public/large.txt", here: asset(large, "takMgsWiTnh3Ijqxj7bOsg==") },
        "/public/none.txt",
      ],
    },
    {
      name: "@elysiajs/html",
      version: "1.4.2",
      code: `
import { html } from "@elysiajs/html";
app.use(html());
app.get("/", () => "<html><body>Hello</body></html>");
`,
      requests: [""],
    },
    {
      name: "@elysiajs/server-timing",
      version: "1.4.1",
      code: `
import { serverTiming } from "@elysiajs/server-timing";
app.use(serverTiming({ enabled: true }));
app.get("/", () => "timed");
`,
      requests: [""],
    },
    {
      name: "@elysiajs/cron",
      version: "1.4.2",
      code: `
import { cron } from "@elysiajs/cron";
app.use(cron({ name: "heartbeat", pattern: "0 0 1 1 *", run() {} }));
app.get("/", ({ store: { cron: { heartbeat } } }) => ({ isRunning: heartbeat.isRunning() }));
`,
      requests: [""],
    },
    {
      name: "@elysiajs/eden",
      version: "1.4.9",
      code: `
import { treaty } from "@elysiajs/eden";
app.get("/target", () => ({ hello: "target" }));
app.get("/", async ({ request }) => {
  const client = treaty(new URL(request.url).origin);
  const { data } = await client["elysiajs-eden"].target.get();
  return data;
});
`,
      requests: [""],
    },
    {
      name: "@elysiajs/opentelemetry",
      version: "1.4.11",
      code: `
import { opentelemetry } from "@elysiajs/opentelemetry";
app.use(opentelemetry());
app.get("/", () => "traced");
`,
      requests: [""],
    },
    {
      name: "elysia-rate-limit",
      version: "4.6.3",
      code: `
import { rateLimit } from "elysia-rate-limit";
app.use(rateLimit({ max: 2, duration: 60_000, generator: () => "everyone", scoping: "scoped" }));
app.get("/", () => "within the limit");
`,
      requests: ["", "", ""],
      masks: [/^\d\d$/g],
    },
    {
      name: "elysia-helmet",
      version: "3.1.0",
      code: `
import { helmet } from "elysia-helmet";
app.use(helmet());
app.get("/", () => "safe");
`,
      requests: [""],
    },
    {
      name: "@bogeychan/elysia-logger",
      version: "0.1.10",
      code: `
import { logger } from "@bogeychan/elysia-logger";
const lines = [];
app.use(logger({ stream: { write: (line) => lines.push(JSON.parse(line).msg) } }));
app.get("/", (ctx) => {
  ctx.log.info("something else");
  return "logged";
});
app.get("/lines", () => lines.filter(Boolean));
`,
      requests: ["", "/lines"],
    },
    {
      name: "zod",
      version: "4.6.7",
      code: `
import { z } from "zod";
app.post("/", ({ body }) => body, { body: z.object({ name: z.string().min(3) }) });
app.get("/", ({ query }) => query, { query: z.object({ page: z.coerce.number() }) });
`,
      requests: [json({ name: "anna" }), json({ name: "a" }), "?page=2", "?page=x"],
    },
    {
      name: "@elysiajs/node",
      version: "1.4.5",
      about: "`.ws()`; in `src/app.ts`, `adapter: node(elysiaNode())`",
      code: `
import { Elysia, t } from "elysia";
const chat = new Elysia({ adapter });
chat.ws("/", {
  message(ws, message) {
    ws.send("echo of " + message);
  },
});
chat.ws("/:id", {
  body: t.Object({ text: t.String() }),
  query: t.Object({ n: t.Numeric() }),
  open: (ws) => ws.send("open " + ws.data.params.id),
  message: (ws, { text }) => ws.send(text + ws.data.query.n),
});
app.use(chat);
`,
      requests: [
        { socket: ["hello", "again"] },
        { path: "/one?n=2", socket: ['{"text":"first"}', '{"text":"second"}'] },
        { path: "/one", socket: ["hello"], status: 0 },
        { path: "/no/where", socket: ["hello"], status: 0 },
        "",
      ],
    },
    {
      name: "answers",
      about: "uploads, streams, server-sent events, files, redirects, cookies, errors",
      code: `
import { setTimeout as sleep } from "node:timers/promises";
import { file, form, redirect, sse, status, t } from "elysia";
app.post("/upload", ({ body: { title, file } }) => ({ title, name: file.name, size: file.size }), { body: t.Object({ title: t.String(), file: t.File() }) });
app.post("/uploads", ({ body: { files } }) => files.map(({ name, size }) => ({ name, size })), { body: t.Object({ title: t.String(), files: t.Files() }) });
app.post("/json", ({ body }) => body);
app.post("/typed", ({ body }) => body, { body: t.Object({ n: t.Number() }) });
app.post("/text", ({ body }) => ({ text: body }));
app.get("/query", ({ query }) => query, { query: t.Object({ n: t.Number() }) });
app.get("/file", () => file("public/hello.txt"));
app.get("/large", () => file("public/large.txt"));
app.get("/none", () => file("public/none.txt"));
app.get("/stream", function* () {
  yield "a";
  yield "b";
});
app.get("/async", async function* () {
  yield "a";
  await sleep(50);
  yield "b";
});
app.get("/events", async function* () {
  for (let count = 1; count <= 12; count++) {
    yield sse({ event: "tick", data: { count } });
    await sleep(250);
  }
});
app.get("/relative", () => redirect("file"));
app.get("/absolute", () => redirect("https://example.com/a", 301));
app.get("/rooted", () => redirect(path + "/file"));
app.get("/cookie", ({ cookie: { name } }) => {
  const before = name.value ?? null;
  name.set({ value: "tobi", httpOnly: true, path: "/" });
  return { before };
});
app.get("/headers", ({ set }) => {
  set.headers["x-more"] = "yes";
  set.headers["cache-control"] = "public, max-age=60";
  set.status = 202;
  return "with headers";
});
app.get("/response", () => new Response("web", { status: 201, headers: { "X-Web": "yes" } }));
app.get("/teapot", () => status(418, "teapot"));
app.get("/thrown", () => {
  throw status(409, "taken");
});
app.get("/empty", ({ set }) => {
  set.status = 204;
});
app.get("/html", () => new Response("<h1>Hello</h1>", { headers: { "Content-Type": "text/html" } }));
`,
      requests: [
        { path: "/upload", method: "POST", body: smallUpload },
        { path: "/uploads", method: "POST", body: upload },
        json({ a: 1 }, { path: "/json" }),
        form("a=b", { path: "/json" }),
        json({ n: 1 }, { path: "/typed" }),
        { path: "/text", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        "/query?n=5",
        { path: "/file", here: file(hello) },
        { path: "/large", here: file(large) },
        { path: "/file", method: "HEAD", here: { ...file(hello), body: "" } },
        { path: "/none", here: { status: 500 } },
        "/stream",
        "/async",
        "/events",
        { path: "/relative", here: { status: 302, headers: { location: "file" } } },
        "/absolute",
        { path: "/rooted", here: { status: 302, headers: { location: "/answers/file" } } },
        "/cookie",
        "/cookie",
        "/headers",
        "/response",
        "/teapot",
        "/thrown",
        "/empty",
        "/html",
      ],
    },
  ],
};
