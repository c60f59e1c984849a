import { bearer, type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  plain: `import Fastify from "fastify";
import { packages } from "../src/packages/list.ts";

const app = Fastify();
// packages
await app.listen({ port: 0 });
console.log(JSON.stringify({ message: "listening", port: app.server.address().port }));
`,
  mount: `  for (const [prefix, mount] of packages) app.register(mount, { prefix });`,
  signature: `export default async function (fastify) {
// code
}`,
  packages: [
    {
      name: "@fastify/cors",
      version: "11.4.1",
      code: `
import cors from "@fastify/cors";
await fastify.register(cors, { origin: ["http://example.com"], credentials: true });
fastify.get("/", (req, reply) => {
  reply.send({ hello: "world" });
});
`,
      requests: [
        { headers: { Origin: "http://example.com" } },
        { headers: { Origin: "http://other.example" } },
        { path: "/none", headers: { Origin: "http://example.com" } },
      ],
    },
    {
      name: "@fastify/static",
      version: "10.1.10",
      code: `
import path from "node:path";
import fastifyStatic from "@fastify/static";
fastify.register(fastifyStatic, { root: path.join(process.cwd(), "public"), prefix: "/public/" });
fastify.get("/file", (req, reply) => reply.sendFile("hello.txt"));
fastify.get("/download", (req, reply) => reply.download("hello.txt", "custom.txt"));
fastify.get("/none", (req, reply) => reply.sendFile("none.txt"));
`,
      requests: [
        "/public/hello.txt",
        "/public/",
        "/public/index.html",
        "/public/none.txt",
        { path: "/public/large.txt", headers: { Range: "bytes=0-9" } },
        { path: "/public/hello.txt", headers: { Range: "bytes=900-" } },
        { path: "/public/large.txt", method: "HEAD" },
        "/file",
        "/download",
        "/none",
      ],
    },
    {
      name: "@fastify/swagger",
      version: "9.9.3",
      code: `
import swagger from "@fastify/swagger";
await fastify.register(swagger, { openapi: { info: { title: "Test", version: "0.1.0" } } });
fastify.put("/some-route/:id", {
  schema: {
    params: { type: "object", properties: { id: { type: "string" } } },
    body: { type: "object", properties: { hello: { type: "string" } } },
    response: { 200: { type: "object", properties: { hello: { type: "string" } } } },
  },
}, (req) => ({ hello: req.body.hello, more: "removed" }));
fastify.get("/document", async () => fastify.swagger().paths);
`,
      requests: [json({ hello: "you" }, { path: "/some-route/1", method: "PUT" }), "/document"],
    },
    {
      name: "@fastify/swagger-ui",
      version: "6.1.3",
      with: { "@fastify/swagger": "9.9.3" },
      code: `
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
await fastify.register(swagger);
await fastify.register(swaggerUi, { routePrefix: "/documentation" });
fastify.get("/pets", async () => []);
`,
      requests: [
        "/documentation",
        "/documentation/",
        "/documentation/static/index.html",
        "/documentation/static/swagger-ui.css",
        "/documentation/static/swagger-initializer.js",
        "/documentation/static/swagger-ui-bundle.js",
        "/documentation/static/logo.svg",
        "/documentation/json",
        "/documentation/yaml",
      ],
    },
    {
      name: "@fastify/multipart",
      version: "10.1.7",
      code: `
import multipart from "@fastify/multipart";
fastify.register(multipart, { limits: { fileSize: 5_000_000 } });
fastify.post("/", async (req) => {
  const data = await req.file();
  const buffer = await data.toBuffer();
  return { field: data.fieldname, name: data.filename, type: data.mimetype, size: buffer.length };
});
fastify.post("/files", async (req) => {
  const sizes = [];
  for await (const part of req.files()) sizes.push((await part.toBuffer()).length);
  return { sizes };
});
fastify.post("/save", async (req) => {
  const { files, values } = await req.saveRequestFiles();
  return { names: files.map((file) => file.filename), title: values.title.value };
});
fastify.post("/small", async (req) => {
  const data = await req.file({ limits: { fileSize: 5 } });
  return { size: (await data.toBuffer()).length };
});
fastify.post("/one", async (req) => {
  const { files } = await req.saveRequestFiles({ limits: { files: 1 } });
  return { count: files.length };
});
fastify.post("/parts", async (req) => {
  const names = [];
  for await (const part of req.parts()) {
    if (part.type === "file") await part.toBuffer();
    names.push([part.type, part.fieldname]);
  }
  return names;
});
`,
      requests: [
        { method: "POST", body: smallUpload },
        { path: "/files", method: "POST", body: upload },
        { path: "/save", method: "POST", body: upload },
        { path: "/parts", method: "POST", body: upload },
        { path: "/small", method: "POST", body: smallUpload },
        { path: "/one", method: "POST", body: upload },
        { method: "POST", body: "--x", headers: { "Content-Type": "multipart/form-data; boundary=x" }, status: 500 },
        json({}),
      ],
    },
    {
      name: "@fastify/cookie",
      version: "11.1.5",
      code: `
import cookie from "@fastify/cookie";
fastify.register(cookie, { secret: "not-a-secret-for-tests" });
fastify.get("/", (req, reply) => {
  const { foo } = req.cookies;
  const signed = req.cookies.signed ? req.unsignCookie(req.cookies.signed) : null;
  reply
    .setCookie("foo", "foo value", { path: "/", httpOnly: true })
    .setCookie("signed", "bar", { path: "/", signed: true })
    .send({ foo, signed });
});
fastify.get("/missing", (req, reply) => reply.clearCookie("foo").code(404).send("missing"));
`,
      requests: ["", "", "/missing"],
    },
    {
      name: "@fastify/helmet",
      version: "13.2.0",
      code: `
import helmet from "@fastify/helmet";
fastify.register(helmet);
fastify.get("/", async () => "safe");
`,
      requests: ["", "/none"],
    },
    {
      name: "@fastify/jwt",
      version: "10.2.7",
      code: `
import jwt from "@fastify/jwt";
fastify.register(jwt, { secret: "not-a-secret-for-tests" });
fastify.post("/signup", async () => ({ name: fastify.jwt.verify(fastify.jwt.sign({ name: "ann" })).name }));
fastify.get("/", async (req) => {
  await req.jwtVerify();
  return req.user;
});
`,
      requests: [
        { path: "/signup", method: "POST" },
        "",
        { headers: { Authorization: "Bearer wrong" } },
        {
          headers: {
            Authorization: bearer,
          },
        },
      ],
    },
    {
      name: "@fastify/rate-limit",
      version: "11.2.0",
      code: `
import rateLimit from "@fastify/rate-limit";
await fastify.register(rateLimit, { max: 2, timeWindow: "1 minute" });
fastify.get("/", (req, reply) => {
  reply.send({ hello: "world" });
});
`,
      requests: ["", "", ""],
      masks: [/^\d\d$/g],
    },
    {
      name: "@fastify/formbody",
      version: "9.0.1",
      code: `
import formbody from "@fastify/formbody";
fastify.register(formbody);
fastify.post("/", (req, reply) => {
  reply.send(req.body);
});
`,
      requests: [form("foo=foo&bar=bar&answer=42"), json({ a: 1 })],
    },
    {
      name: "@fastify/sensible",
      version: "6.0.6",
      code: `
import sensible from "@fastify/sensible";
fastify.register(sensible);
fastify.get("/", (req, reply) => reply.notFound());
fastify.get("/conflict", async () => {
  throw fastify.httpErrors.conflict("taken");
});
fastify.get("/cached", (req, reply) => {
  reply.cacheControl("public");
  reply.maxAge(60);
  reply.vary("Accept");
  reply.send("cached");
});
`,
      requests: ["", "/conflict", "/cached"],
    },
    {
      name: "@fastify/compress",
      version: "9.2.0",
      code: `
import compress from "@fastify/compress";
await fastify.register(compress, { global: true });
fastify.get("/", async () => ({ text: "compress me ".repeat(500) }));
fastify.get("/missing", (req, reply) => reply.code(404).send({ text: "compress me ".repeat(500) }));
fastify.get("/broken", async () => {
  throw new Error("broken");
});
`,
      requests: [
        "",
        "/missing",
        { path: "/broken", status: 500 },
        "/none",
        { headers: { "Accept-Encoding": "gzip" } },
        { headers: { "Accept-Encoding": "identity" } },
      ],
    },
    {
      name: "@fastify/view",
      version: "12.0.0",
      with: { ejs: "7.0.2" },
      code: `
import path from "node:path";
import view from "@fastify/view";
import ejs from "ejs";
fastify.register(view, { engine: { ejs }, root: path.join(process.cwd(), "views") });
fastify.get("/", (req, reply) => reply.view("hello.ejs", { name: "User" }));
`,
      requests: [""],
    },
    {
      name: "@fastify/session",
      version: "11.1.3",
      with: { "@fastify/cookie": "11.1.5" },
      code: `
import cookie from "@fastify/cookie";
import session from "@fastify/session";
fastify.register(cookie);
fastify.register(session, { secret: "not a secret, but longer than 32 characters", cookie: { secure: false } });
fastify.get("/", async (req) => {
  req.session.views = (req.session.views ?? 0) + 1;
  return { views: req.session.views };
});
fastify.get("/missing", (req, reply) => {
  req.session.missing = true;
  reply.code(404).send("missing");
});
fastify.get("/broken", async (req) => {
  req.session.broken = true;
  throw new Error("broken");
});
`,
      requests: ["", "", "/missing", { path: "/broken", status: 500 }, ""],
      masks: [/sessionId=[^;]*/g],
    },
    {
      name: "@fastify/http-proxy",
      version: "11.6.3",
      code: `
import { createServer } from "node:http";
import httpProxy from "@fastify/http-proxy";
const target = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  res.setHeader("X-Target", "yes");
  res.statusCode = req.url === "/none" ? 404 : 200;
  res.end(JSON.stringify({ method: req.method, url: req.url, body: Buffer.concat(chunks).toString() }));
});
await new Promise((resolve) => target.listen(0, "127.0.0.1", resolve));
target.unref();
fastify.register(httpProxy, { upstream: \`http://127.0.0.1:\${target.address().port}\`, prefix: "/api" });
`,
      requests: ["/api/a?b=c", "/api/none", json({ a: 1 }, { path: "/api/post" })],
    },
    {
      name: "@fastify/middie",
      version: "9.3.6",
      with: { cors: "2.8.6" },
      code: `
import middie from "@fastify/middie";
import cors from "cors";
await fastify.register(middie);
fastify.use(cors());
fastify.get("/", async () => "with middleware");
`,
      requests: [""],
    },
    {
      name: "fastify-plugin",
      version: "6.0.1",
      code: `
import fp from "fastify-plugin";
fastify.register(
  fp(async (instance, options) => {
    instance.decorate("utility", () => options.answer);
    instance.addHook("onSend", async (req, reply) => {
      reply.header("x-plugin", "yes");
    });
  }),
  { answer: 42 },
);
fastify.get("/", async () => ({ answer: fastify.utility() }));
`,
      requests: ["", "/none"],
    },
    {
      name: "fastify-type-provider-zod",
      version: "7.0.0",
      with: { zod: "4.6.7", "@fastify/swagger": "9.9.3" },
      code: `
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { z } from "zod";
fastify.setValidatorCompiler(validatorCompiler);
fastify.setSerializerCompiler(serializerCompiler);
fastify.withTypeProvider().route({
  method: "POST",
  url: "/",
  schema: {
    body: z.object({ name: z.string().min(4) }),
    querystring: z.object({ page: z.coerce.number().default(1) }),
    response: { 200: z.object({ name: z.string(), page: z.number() }) },
  },
  handler: (req, res) => {
    res.send({ name: req.body.name, page: req.query.page, more: "removed" });
  },
});
`,
      requests: [
        json({ name: "anna" }, { path: "?page=2" }),
        json({ name: "ann" }),
        json({ name: "anna" }, { path: "?page=x" }),
      ],
    },
    {
      name: "@fastify/type-provider-typebox",
      version: "6.3.0",
      with: { typebox: "1.4.3" },
      code: `
import { Type, TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
fastify.setValidatorCompiler(TypeBoxValidatorCompiler);
fastify.post("/", { schema: { body: Type.Object({ x: Type.String(), y: Type.Number() }) } }, (req) => req.body);
`,
      requests: [json({ x: "a", y: 1 }), json({ x: 1 })],
    },
    {
      name: "@fastify/under-pressure",
      version: "9.2.0",
      code: `
import underPressure from "@fastify/under-pressure";
fastify.register(underPressure, { maxEventLoopDelay: 10_000, exposeStatusRoute: "/status" });
fastify.get("/", async () => ({ isUnderPressure: fastify.isUnderPressure() }));
`,
      requests: ["", "/status"],
    },
    {
      name: "@fastify/etag",
      version: "6.2.0",
      code: `
import etag from "@fastify/etag";
await fastify.register(etag);
fastify.get("/", async () => ({ hello: "world" }));
`,
      requests: ["", { headers: { "If-None-Match": '"l7xxiq"' } }],
    },
    {
      name: "mercurius",
      version: "16.10.1",
      with: { graphql: "16.12.0" },
      code: `
import mercurius from "mercurius";
fastify.register(mercurius, {
  schema: "type Query { add(x: Int, y: Int): Int }",
  resolvers: { Query: { add: async (_, { x, y }) => x + y } },
  graphiql: true,
});
`,
      requests: [
        json({ query: "{ add(x: 2, y: 2) }" }, { path: "/graphql" }),
        "/graphql?query=%7Badd(x:1,y:2)%7D",
        json({ query: "{ none }" }, { path: "/graphql" }),
        "/graphiql",
      ],
    },
    {
      name: "@fastify/websocket",
      version: "11.3.6",
      code: `
import websocket from "@fastify/websocket";
await fastify.register(websocket);
fastify.get("/", { websocket: true }, (socket, req) => {
  socket.on("message", (message) => socket.send("echo of " + message + " at " + req.url));
});
fastify.get("/refused", { websocket: true, preValidation: async (req, reply) => reply.code(401).send("no") }, (socket) => {
  socket.send("never");
});
fastify.get("/none", () => "not a socket");
`,
      requests: [
        { socket: ["hello", "again"] },
        { path: "?query=1", socket: ["hello"] },
        { path: "/refused", socket: ["hello"], status: 0 },
        { path: "/nowhere", socket: ["hello"], status: 0 },
        "",
        "/none",
      ],
    },
    {
      name: "@fastify/sse",
      version: "0.6.0",
      code: `
import sse from "@fastify/sse";
import { setTimeout as sleep } from "node:timers/promises";
await fastify.register(sse);
fastify.get("/", { sse: true }, async (req, reply) => {
  for (let count = 1; count <= 8; count++) {
    await reply.sse.send({ id: String(count), event: "tick", data: { count } });
    await sleep(250);
  }
});
`,
      requests: [{ headers: { Accept: "text/event-stream" } }],
    },
    {
      name: "@fastify/basic-auth",
      version: "6.3.0",
      with: { "@fastify/bearer-auth": "10.1.3" },
      code: `
import basicAuth from "@fastify/basic-auth";
import bearerAuth from "@fastify/bearer-auth";
fastify.register(async (own) => {
  await own.register(basicAuth, {
    authenticate: { realm: "Westeros" },
    validate: async (username, password) => {
      if (password !== "right") return new Error("Winter is coming");
    },
  });
  own.get("/basic", { onRequest: own.basicAuth }, async () => "basic");
});
fastify.register(async (own) => {
  await own.register(bearerAuth, { keys: new Set(["a-key"]) });
  own.get("/bearer", async () => "bearer");
});
`,
      requests: [
        "/basic",
        { path: "/basic", headers: { Authorization: `Basic ${btoa("ann:wrong")}` } },
        { path: "/basic", headers: { Authorization: `Basic ${btoa("ann:right")}` } },
        "/bearer",
        { path: "/bearer", headers: { Authorization: "Bearer a-key" } },
      ],
    },
    {
      name: "@fastify/express",
      version: "4.0.7",
      code: `
import fastifyExpress from "@fastify/express";
await fastify.register(fastifyExpress);
fastify.use((req, res, next) => {
  res.setHeader("X-Express", "yes");
  next();
});
fastify.get("/", async () => "with Express");
fastify.post("/", async (req) => req.body);
`,
      requests: ["", json({ a: 1 })],
    },
    {
      name: "@scalar/fastify-api-reference",
      version: "1.72.1",
      code: `
import scalar from "@scalar/fastify-api-reference";
await fastify.register(scalar, { routePrefix: "/reference", configuration: { content: { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths: {} } } });
`,
      requests: ["/reference", "/reference/", "/reference/openapi.json", "/reference/js/scalar.js"],
    },
    {
      name: "answers",
      about: "streams, server-sent events, files, redirects, schemas",
      code: `
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
fastify.get("/stream", (req, reply) => reply.type("text/plain").send(Readable.from(["a", "b", "c"])));
fastify.get("/file", async (req, reply) => {
  reply.type("text/plain");
  return createReadStream("public/large.txt");
});
fastify.get("/web", () => new Response("a web response", { status: 201, headers: { "X-Web": "yes" } }));
fastify.get("/events", (req, reply) => {
  async function* events() {
    for (let count = 1; count <= 12; count++) {
      await sleep(250);
      yield \`data: \${count}\\n\\n\`;
    }
  }
  return reply.type("text/event-stream").send(Readable.from(events()));
});
fastify.get("/raw", (req, reply) => {
  reply.hijack();
  reply.raw.writeHead(200, { "Content-Type": "text/event-stream" });
  reply.raw.write("data: 1\\n\\n");
  setTimeout(() => reply.raw.end("data: 2\\n\\n"), 2500);
});
fastify.get("/relative", (req, reply) => reply.redirect("file"));
fastify.get("/absolute", (req, reply) => reply.redirect("https://example.com/a", 301));
fastify.get("/early", (req, reply) => reply.code(204).send());
fastify.get("/query", { schema: { querystring: { type: "object", properties: { n: { type: "integer" } } } } }, async (req) => req.query);
fastify.addContentTypeParser("application/xml", { parseAs: "string" }, (req, body, done) => done(null, { xml: body }));
fastify.post("/xml", async (req) => req.body);
fastify.post("/text", async (req) => ({ text: req.body }));
fastify.get("/teapot", (req, reply) => reply.code(418).send("teapot"));
`,
      requests: [
        "/stream",
        "/file",
        "/web",
        "/events",
        "/raw",
        "/relative",
        "/absolute",
        "/early",
        "/query?n=5",
        "/query?n=x",
        { path: "/xml", method: "POST", body: "<a/>", headers: { "Content-Type": "application/xml" } },
        { path: "/text", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        { path: "/text", method: "POST", body: "text", headers: { "Content-Type": "text/unknown" } },
        "/teapot",
      ],
    },
  ],
};
