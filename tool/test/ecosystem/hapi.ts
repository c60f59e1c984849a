import { type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  plain: `import Hapi from "@hapi/hapi";
import { packages } from "../src/packages/list.ts";

const server = Hapi.server({ port: 0, host: "127.0.0.1", debug: false });
// packages
await server.start();
console.log(JSON.stringify({ message: "listening", port: server.info.port }));
`,
  mount: `  for (const [prefix, mount] of packages)
    await server.register({ name: prefix, register: (own) => mount(own, prefix) }, { routes: { prefix } });`,
  signature: `export default async function (server, prefix) {
// code
}`,
  packages: [
    {
      name: "@hapi/inert",
      version: "7.1.2",
      code: `
import path from "node:path";
import Inert from "@hapi/inert";
await server.register(Inert, { once: true });
server.route({
  method: "GET",
  path: "/public/{param*}",
  handler: { directory: { path: path.join(process.cwd(), "public"), index: ["index.html"] } },
});
server.route({ method: "GET", path: "/file", handler: { file: path.join(process.cwd(), "public/hello.txt") } });
server.route({ method: "GET", path: "/download", handler: (req, h) => h.file(path.join(process.cwd(), "public/large.txt"), { mode: "attachment", confine: false }) });
`,
      requests: [
        "/public/hello.txt",
        "/public/",
        "/public/none.txt",
        { path: "/public/large.txt", method: "HEAD" },
        { path: "/public/large.txt", headers: { Range: "bytes=0-9", "Accept-Encoding": "identity" } },
        { path: "/public/hello.txt", headers: { Range: "bytes=900-", "Accept-Encoding": "identity" } },
        { path: "/public/large.txt", headers: { "Accept-Encoding": "gzip" } },
        { path: "/public/large.txt", headers: { "Accept-Encoding": "identity" } },
        "/file",
        "/download",
      ],
    },
    {
      name: "@hapi/vision",
      version: "7.0.3",
      with: { ejs: "7.0.2" },
      code: `
import path from "node:path";
import Vision from "@hapi/vision";
import Ejs from "ejs";
await server.register(Vision, { once: true });
server.views({ engines: { ejs: Ejs }, path: path.join(process.cwd(), "views") });
server.route({ method: "GET", path: "/", handler: (req, h) => h.view("hello", { name: "you" }) });
`,
      requests: [""],
    },
    {
      name: "@hapi/boom",
      version: "10.0.1",
      code: `
import Boom from "@hapi/boom";
server.route({ method: "GET", path: "/conflict", handler: () => Boom.conflict("taken") });
server.route({ method: "GET", path: "/unauthorized", handler: () => Boom.unauthorized("who", "Basic", { realm: "here" }) });
server.route({
  method: "GET",
  path: "/broken",
  handler: () => {
    throw new Error("broken");
  },
});
server.route({ method: "GET", path: "/teapot", handler: () => Boom.teapot("short") });
`,
      requests: ["/conflict", "/unauthorized", { path: "/broken", status: 500 }, "/teapot"],
    },
    {
      name: "joi",
      version: "17.13.3",
      code: `
import Joi from "joi";
server.route({
  method: "POST",
  path: "/",
  options: { validate: { payload: Joi.object({ name: Joi.string().min(3).required(), age: Joi.number() }) } },
  handler: (req) => req.payload,
});
server.route({
  method: "GET",
  path: "/{id}",
  options: { validate: { params: Joi.object({ id: Joi.number() }), query: Joi.object({ page: Joi.number().default(1) }) } },
  handler: (req) => ({ id: req.params.id, page: req.query.page }),
});
`,
      requests: [json({ name: "anna", age: "5" }), json({ name: "a" }), "/5?page=2", "/5", "/x"],
    },
    {
      name: "@hapi/cookie",
      version: "12.0.1",
      code: `
import Cookie from "@hapi/cookie";
await server.register(Cookie, { once: true });
server.auth.strategy("session", "cookie", {
  cookie: { name: "sid-example", password: "not a secret, but longer than 32 characters", isSecure: false, path: "/" },
  redirectTo: "/login",
  validate: async (req, session) => ({ isValid: session.id === 1 }),
});
server.route({ method: "GET", path: "/", options: { auth: "session" }, handler: () => "Welcome to the restricted home page!" });
server.route({
  method: "POST",
  path: "/login",
  handler: (req, h) => {
    req.cookieAuth.set({ id: 1 });
    return h.redirect("/");
  },
});
`,
      requests: ["", { path: "/login", method: "POST" }, ""],
      masks: [/sid-example=[^;]*/g],
    },
    {
      name: "@hapi/jwt",
      version: "3.2.4",
      code: `
import Jwt from "@hapi/jwt";
await server.register(Jwt, { once: true });
server.auth.strategy("my_jwt_strategy", "jwt", {
  keys: "not-a-secret-for-tests",
  verify: { aud: "urn:audience:test", iss: "urn:issuer:test", sub: false },
  validate: (artifacts) => ({ isValid: true, credentials: { user: artifacts.decoded.payload.user } }),
});
server.route({ method: "GET", path: "/", options: { auth: "my_jwt_strategy" }, handler: (req) => req.auth.credentials });
server.route({
  method: "GET",
  path: "/login",
  handler: async (req) => {
    const token = Jwt.token.generate({ aud: "urn:audience:test", iss: "urn:issuer:test", user: "ann" }, "not-a-secret-for-tests");
    const { result } = await server.inject({ url: prefix, headers: { authorization: "Bearer " + token } });
    return result;
  },
});
`,
      requests: ["", { headers: { Authorization: "Bearer wrong" } }, "/login"],
    },
    {
      name: "@hapi/basic",
      version: "7.0.2",
      code: `
import Basic from "@hapi/basic";
await server.register(Basic, { once: true });
server.auth.strategy("simple", "basic", {
  validate: async (req, username, password) => ({ isValid: password === "right", credentials: { name: username } }),
});
server.route({ method: "GET", path: "/", options: { auth: "simple" }, handler: (req) => req.auth.credentials });
`,
      requests: [
        "",
        { headers: { Authorization: `Basic ${btoa("ann:wrong")}` } },
        { headers: { Authorization: `Basic ${btoa("ann:right")}` } },
      ],
    },
    {
      name: "@hapi/yar",
      version: "11.0.3",
      code: `
import Yar from "@hapi/yar";
await server.register({
  plugin: Yar,
  options: { storeBlank: false, cookieOptions: { password: "not a secret, but longer than 32 characters", isSecure: false } },
});
server.route({
  method: "GET",
  path: "/",
  handler: (req) => {
    const views = (req.yar.get("views") ?? 0) + 1;
    req.yar.set("views", views);
    return { views };
  },
});
`,
      requests: ["", "", "/none"],
      masks: [/session=[^;]*/g],
    },
    {
      name: "@hapi/h2o2",
      version: "10.0.4",
      code: `
import { createServer } from "node:http";
import H2o2 from "@hapi/h2o2";
await server.register(H2o2, { once: true });
const target = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  res.setHeader("X-Target", "yes");
  res.statusCode = req.url.endsWith("none") ? 404 : 200;
  res.end(JSON.stringify({ method: req.method, url: req.url, body: Buffer.concat(chunks).toString() }));
});
await new Promise((resolve) => target.listen(0, "127.0.0.1", resolve));
target.unref();
server.route({
  method: "*",
  path: "/api/{path*}",
  handler: { proxy: { host: "127.0.0.1", port: target.address().port, protocol: "http" } },
});
`,
      requests: [
        "/api/a?b=c",
        "/api/none",
        json({ a: 1 }, { path: "/api/post" }),
        { path: "/api/text", method: "POST", body: "text" },
      ],
    },
    {
      name: "hapi-swagger",
      version: "17.3.2",
      with: { joi: "17.13.3", "@hapi/inert": "7.1.2", "@hapi/vision": "7.0.3" },
      code: `
import Inert from "@hapi/inert";
import Vision from "@hapi/vision";
import HapiSwagger from "hapi-swagger";
import Joi from "joi";
await server.register([Inert, Vision], { once: true });
await server.register({ plugin: HapiSwagger, options: { info: { title: "Test", version: "1" }, grouping: "tags" } });
server.route({
  method: "GET",
  path: "/todo/{id}/",
  options: { tags: ["api"], validate: { params: Joi.object({ id: Joi.number().required() }) }, handler: () => "todo" },
});
`,
      requests: ["/documentation", "/swagger.json", "/swaggerui/swagger-ui.css", "/swaggerui/swagger-ui-bundle.js"],
    },
    {
      name: "hapi-pino",
      version: "13.0.0",
      code: `
import HapiPino from "hapi-pino";
const lines = [];
await server.register({ plugin: HapiPino, options: { stream: { write: (line) => lines.push(JSON.parse(line).msg) }, logEvents: [] } });
server.route({
  method: "GET",
  path: "/",
  handler: (req) => {
    req.logger.info("GET_items");
    return "hello world";
  },
});
server.route({ method: "GET", path: "/lines", handler: () => lines });
`,
      requests: ["", "/lines"],
    },
    {
      name: "hapi-rate-limit",
      version: "8.0.0",
      code: `
import HapiRateLimit from "hapi-rate-limit";
await server.register({ plugin: HapiRateLimit, options: { enabled: false } });
server.route({
  method: "GET",
  path: "/",
  options: { plugins: { "hapi-rate-limit": { enabled: true, pathLimit: 2, userLimit: false } } },
  handler: () => "within the limit",
});
`,
      requests: ["", "", ""],
      masks: [/^\d{6,}$/g],
    },
    {
      name: "@hapi/crumb",
      version: "9.0.1",
      code: `
import Crumb from "@hapi/crumb";
await server.register({ plugin: Crumb, options: { restful: true, cookieOptions: { isSecure: false }, skip: (req) => !req.path.startsWith(prefix) } });
server.route({ method: "GET", path: "/", handler: () => "token set" });
server.route({ method: "POST", path: "/", handler: () => "posted" });
`,
      requests: ["", { method: "POST" }],
      masks: [/crumb=[^;]*/g],
    },
    {
      name: "@hapi/scooter",
      version: "8.0.0",
      with: { blankie: "5.0.0" },
      code: `
import Scooter from "@hapi/scooter";
import Blankie from "blankie";
await server.register([Scooter, { plugin: Blankie, options: { scriptSrc: "self" } }]);
server.route({ method: "GET", path: "/", handler: (req) => ({ family: req.plugins.scooter.family }) });
`,
      requests: [{ headers: { "User-Agent": "curl/8.0.0" } }],
    },
    {
      name: "hapi-auth-bearer-token",
      version: "8.0.0",
      code: `
import AuthBearer from "hapi-auth-bearer-token";
await server.register(AuthBearer);
server.auth.strategy("bearer", "bearer-access-token", {
  validate: async (req, token) => ({ isValid: token === "1234", credentials: { token } }),
});
server.route({ method: "GET", path: "/", options: { auth: "bearer" }, handler: (req) => req.auth.credentials });
`,
      requests: ["", { headers: { Authorization: "Bearer wrong" } }, { headers: { Authorization: "Bearer 1234" } }],
    },
    {
      name: "@hapi/wreck",
      version: "18.1.2",
      code: `
import Wreck from "@hapi/wreck";
server.route({ method: "GET", path: "/target", handler: () => ({ hello: "target" }) });
server.route({
  method: "GET",
  path: "/",
  handler: async (req) => {
    const { payload } = await Wreck.get("http://" + req.info.host + prefix + "/target", { json: true });
    return payload;
  },
});
`,
      requests: [""],
    },
    {
      name: "@hapi/nes",
      version: "14.0.1",
      code: `
import Nes from "@hapi/nes";
await server.register(Nes);
server.route({ method: "GET", path: "/h", options: { id: "hello", handler: () => "world!" } });
`,
      requests: [
        {
          socket: [
            '{"type":"hello","id":1,"version":"2"}',
            '{"type":"request","id":2,"method":"GET","path":"/hapi-nes/h"}',
          ],
        },
        "/h",
      ],
      masks: [/"socket":"[^"]+"/g],
    },
    {
      name: "susie",
      version: "3.0.0",
      code: `
import { PassThrough } from "node:stream";
import Susie from "susie";
await server.register(Susie);
server.route({
  method: "GET",
  path: "/",
  handler: (req, h) => {
    let count = 0;
    const stream = new PassThrough({ objectMode: true });
    const timer = setInterval(() => {
      stream.write({ id: ++count, event: "tick", data: { count } });
      if (count === 8) {
        clearInterval(timer);
        stream.end();
      }
    }, 250);
    return h.event(stream);
  },
});
`,
      requests: [""],
    },
    {
      name: "answers",
      about: "uploads, streams, server-sent events, redirects, cookies, cors",
      code: `
import { createReadStream } from "node:fs";
import { PassThrough, Readable } from "node:stream";
server.route({
  method: "POST",
  path: "/upload",
  options: { payload: { multipart: true, output: "stream", maxBytes: 10_000_000 } },
  handler: async (req) => {
    const files = [req.payload.files ?? req.payload.file].flat();
    const sizes = [];
    for (const file of files) {
      let size = 0;
      for await (const chunk of file) size += chunk.length;
      sizes.push([file.hapi.filename, size]);
    }
    return { sizes, title: req.payload.title };
  },
});
server.route({
  method: "POST",
  path: "/files",
  options: { payload: { multipart: { output: "file" }, maxBytes: 10_000_000 } },
  handler: (req) => [req.payload.files].flat().map(({ filename, bytes }) => ({ filename, bytes })),
});
server.route({ method: "POST", path: "/form", handler: (req) => req.payload });
server.route({ method: "POST", path: "/text", handler: (req) => ({ text: req.payload }) });
server.route({ method: "POST", path: "/raw", options: { payload: { parse: false } }, handler: (req) => ({ size: req.payload.length }) });
server.route({ method: "GET", path: "/stream", handler: (req, h) => h.response(Readable.from(["a", "b"], { objectMode: false })).type("text/plain") });
server.route({ method: "GET", path: "/file", handler: () => createReadStream("public/large.txt") });
server.route({
  method: "GET",
  path: "/events",
  handler: (req, h) => {
    const stream = new PassThrough();
    let count = 0;
    const timer = setInterval(() => {
      stream.write(\`data: \${++count}\\n\\n\`);
      if (count === 12) {
        clearInterval(timer);
        stream.end();
      }
    }, 250);
    return h.response(stream).type("text/event-stream").header("Cache-Control", "no-cache");
  },
});
server.route({ method: "GET", path: "/relative", handler: (req, h) => h.redirect("file") });
server.route({ method: "GET", path: "/absolute", handler: (req, h) => h.redirect("https://example.com/a").permanent() });
server.route({ method: "GET", path: "/cookie", handler: (req, h) => h.response({ data: req.state.data ?? null }).state("data", { a: 1 }, { encoding: "base64json", isSecure: false, path: "/" }) });
server.route({ method: "GET", path: "/cached", options: { cache: { expiresIn: 60_000, privacy: "public" } }, handler: () => "cached" });
server.route({ method: "GET", path: "/etag", handler: (req, h) => h.response("tagged").etag("1") });
server.route({ method: "GET", path: "/empty", handler: (req, h) => h.response().code(204) });
server.route({ method: "GET", path: "/cors", options: { cors: { origin: ["http://example.com"] } }, handler: () => "cors" });
server.route({ method: "GET", path: "/secure", options: { security: true }, handler: () => "secure" });
`,
      requests: [
        { path: "/upload", method: "POST", body: smallUpload },
        { path: "/upload", method: "POST", body: upload },
        { path: "/files", method: "POST", body: upload },
        form("a=b", { path: "/form" }),
        json({ a: 1 }, { path: "/form" }),
        { path: "/text", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        { path: "/raw", method: "POST", body: "raw", headers: { "Content-Type": "application/octet-stream" } },
        "/stream",
        "/file",
        "/events",
        "/relative",
        "/absolute",
        "/cookie",
        "/cookie",
        "/cached",
        "/etag",
        { path: "/etag", headers: { "If-None-Match": '"1"' } },
        "/empty",
        { path: "/cors", headers: { Origin: "http://example.com" } },
        "/secure",
      ],
    },
  ],
};
