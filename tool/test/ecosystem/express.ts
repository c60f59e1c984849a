import { bearer, type Ecosystem, form, json, smallUpload, upload } from "./ecosystem.ts";

export const ecosystem: Ecosystem = {
  plain: `import { createServer } from "node:http";
import express from "express";
import { packages } from "../src/packages/list.ts";

const app = express();
const parts = { server: createServer(app) };
// packages
parts.server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ message: "listening", port: parts.server.address().port }));
});
`,
  mount: `  for (const [path, mount] of packages) {
    const router = express.Router();
    mount(router, parts.server, app);
    app.use(path, router);
  }`,
  signature: `export default function (app, server, root) {
// code
}`,
  packages: [
    {
      name: "body-parser",
      version: "2.4.0",
      code: `
import bodyParser from "body-parser";
app.use(bodyParser.urlencoded());
app.use(bodyParser.json());
app.use(bodyParser.text());
app.use(bodyParser.raw());
app.post("/", (req, res) => {
  res.setHeader("Content-Type", "text/plain");
  res.write("you posted:\\n");
  res.end(String(JSON.stringify(req.body, null, 2)));
});
app.post("/json", (req, res) => {
  res.json(req.body);
});
`,
      requests: [
        json({ a: [1, { b: "c" }] }),
        form("a=1&b=2&c=%20"),
        { method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        { method: "POST", body: "raw", headers: { "Content-Type": "application/octet-stream" } },
        { method: "POST", body: "<x/>", headers: { "Content-Type": "application/xml" } },
        { method: "POST" },
        json({ a: 1 }, { path: "/json" }),
        json({}, { path: "/json", body: '{"a":' }),
      ],
    },
    {
      name: "cors",
      version: "2.8.6",
      code: `
import cors from "cors";
app.use(cors({ origin: "http://example.com", exposedHeaders: ["X-More"] }));
app.options("/", cors());
app.get("/", (req, res) => {
  res.json({ msg: "Hello" });
});
`,
      requests: [
        { headers: { Origin: "http://example.com" } },
        { headers: { Origin: "http://other.example" } },
        { path: "/none", headers: { Origin: "http://example.com" } },
        {
          method: "OPTIONS",
          headers: { Origin: "http://example.com", "Access-Control-Request-Method": "GET" },
        },
      ],
    },
    {
      name: "compression",
      version: "1.8.2",
      code: `
import compression from "compression";
app.use(compression());
app.get("/", (req, res) => {
  res.json({ text: "compress me ".repeat(500) });
});
app.get("/small", (req, res) => res.send("small"));
app.get("/broken", () => {
  throw new Error("broken");
});
app.get("/failure", (req, res) => res.status(500).send("x".repeat(5000)));
app.get("/missing", (req, res) => res.status(404).json({ text: "x".repeat(5000) }));
app.get("/events", (req, res) => {
  res.setHeader("Content-Type", "text/event-stream");
  res.setHeader("Cache-Control", "no-cache");
  let count = 0;
  const timer = setInterval(() => {
    res.write("data: ping\\n\\n");
    res.flush();
    if (++count === 8) {
      clearInterval(timer);
      res.end();
    }
  }, 200);
});
`,
      requests: [
        "",
        "/small",
        "/none",
        { path: "/broken", status: 500 },
        { path: "/failure", status: 500 },
        "/missing",
        "/events",
        { method: "HEAD" },
        { headers: { "Accept-Encoding": "identity" } },
        { headers: { "Accept-Encoding": "gzip" } },
      ],
    },
    {
      name: "cookie-parser",
      version: "1.4.7",
      code: `
import cookieParser from "cookie-parser";
app.use(cookieParser("not-a-secret-for-tests"));
app.get("/", (req, res) => {
  res.cookie("plain", "a b", { maxAge: 900000, httpOnly: true });
  res.cookie("signed", { user: 1 }, { signed: true });
  res.json({ cookies: req.cookies, signed: req.signedCookies });
});
app.get("/clear", (req, res) => {
  res.clearCookie("plain");
  res.status(404).send("cleared");
});
`,
      requests: ["", "", "/clear"],
    },
    {
      name: "morgan",
      version: "1.12.1",
      code: `
import { existsSync, readFileSync, createWriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import morgan from "morgan";
const lines = [];
app.use(morgan(":method :url :status :res[content-length]", { stream: { write: (line) => lines.push(line) } }));
app.use(morgan("combined", { stream: { write() {} } }));
app.get("/", (req, res) => {
  res.send("hello, world!");
});
app.get("/lines", (req, res) => {
  res.json(lines);
});
`,
      requests: ["", "?a=b", "/lines"],
    },
    {
      name: "http-proxy-middleware",
      version: "4.2.1",
      code: `
import { createServer } from "node:http";
import { createProxyMiddleware } from "http-proxy-middleware";
const target = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  res.setHeader("X-Target", "yes");
  res.statusCode = req.url === "/none" ? 404 : 200;
  res.end(JSON.stringify({ method: req.method, url: req.url, body: Buffer.concat(chunks).toString() }));
});
target.listen(0, "127.0.0.1", () => {
  app.use("/", createProxyMiddleware({ target: \`http://127.0.0.1:\${target.address().port}\`, changeOrigin: true }));
});
target.unref();
`,
      requests: ["/a?b=c", "/none", { path: "/text", method: "POST", body: "text" }, json({ a: 1 }, { path: "/json" })],
    },
    {
      name: "multer",
      version: "2.5.0",
      code: `
import { tmpdir } from "node:os";
import multer from "multer";
const upload = multer({ dest: tmpdir() });
const memory = multer({ storage: multer.memoryStorage() });
const show = (file) => ({ field: file.fieldname, name: file.originalname, type: file.mimetype, size: file.size });
app.post("/single", upload.single("file"), (req, res) => {
  res.json({ file: show(req.file), title: req.body.title });
});
app.post("/array", upload.array("files", 12), (req, res) => {
  res.json({ files: req.files.map(show), title: req.body.title });
});
app.post("/memory", memory.any(), (req, res) => {
  res.json({ text: req.files.map((file) => file.buffer.toString("utf8", 0, 12)) });
});
app.post("/none", upload.none(), (req, res) => {
  res.json(req.body);
});
app.post("/small", multer({ limits: { fileSize: 5 } }).single("file"), (req, res) => {
  res.json({});
});
`,
      requests: [
        { path: "/single", method: "POST", body: smallUpload },
        { path: "/array", method: "POST", body: upload },
        { path: "/memory", method: "POST", body: upload },
        { path: "/memory", method: "POST", body: smallUpload },
        { path: "/none", method: "POST", body: smallUpload, status: 500 },
        { path: "/small", method: "POST", body: smallUpload, status: 500 },
        { path: "/array", method: "POST", body: upload },
      ],
    },
    {
      name: "express-rate-limit",
      version: "8.7.4",
      code: `
import { rateLimit } from "express-rate-limit";
const limiter = rateLimit({
  windowMs: 15 * 60 * 1000,
  limit: 2,
  standardHeaders: "draft-8",
  legacyHeaders: false,
  ipv6Subnet: 56,
});
app.use(limiter);
app.get("/", (req, res) => res.send("within the limit"));
`,
      requests: ["", "", "", "/none"],
      masks: [/t=\d+/g, /^\d+$/g],
    },
    {
      name: "helmet",
      version: "8.3.0",
      code: `
import helmet from "helmet";
app.use(helmet());
app.get("/", (req, res) => {
  res.send("Hello world!");
});
`,
      requests: ["", "/none"],
    },
    {
      name: "express-session",
      version: "1.19.0",
      code: `
import session from "express-session";
app.use(session({ secret: "not-a-secret-for-tests", resave: false, saveUninitialized: true }));
app.get("/", (req, res) => {
  req.session.views = (req.session.views ?? 0) + 1;
  res.json({ views: req.session.views });
});
app.get("/missing", (req, res) => {
  req.session.missing = true;
  res.status(404).send("missing");
});
app.get("/broken", (req) => {
  req.session.broken = true;
  throw new Error("broken");
});
app.get("/destroy", (req, res) => req.session.destroy(() => res.redirect("/express-session/")));
`,
      requests: ["", "", "/missing", { path: "/broken", status: 500 }, "/none", "", "/destroy", ""],
      masks: [/connect\.sid=[^;]*/g],
    },
    {
      name: "passport",
      version: "0.7.0",
      with: { "passport-local": "1.0.0", "express-session": "1.19.0" },
      code: `
import express from "express";
import session from "express-session";
import { Passport } from "passport";
import LocalStrategy from "passport-local";
const passport = new Passport();
passport.use(
  new LocalStrategy((username, password, done) => {
    done(null, password === "right" ? { id: 1, username } : false);
  }),
);
passport.serializeUser((user, done) => done(null, user.username));
passport.deserializeUser((username, done) => done(null, { id: 1, username }));
app.use(session({ secret: "not-a-secret-for-tests", resave: false, saveUninitialized: false }));
app.use(passport.authenticate("session"));
app.use(express.urlencoded());
app.post("/login", passport.authenticate("local", { failureRedirect: "/login" }), (req, res) => {
  res.redirect("/~" + req.user.username);
});
app.post("/strict", passport.authenticate("local"), (req, res) => res.end());
app.get("/", (req, res) => res.json({ user: req.user ?? null }));
`,
      requests: [
        "",
        form("username=ann&password=wrong", { path: "/login" }),
        form("username=ann&password=wrong", { path: "/strict" }),
        form("username=ann&password=right", { path: "/login" }),
        "",
      ],
      masks: [/connect\.sid=[^;]*/g],
    },
    {
      name: "swagger-ui-express",
      version: "5.0.1",
      code: `
import swaggerUi from "swagger-ui-express";
const swaggerDocument = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: {} };
app.use("/api-docs", swaggerUi.serve, swaggerUi.setup(swaggerDocument));
`,
      requests: [
        "/api-docs",
        "/api-docs/",
        "/api-docs/swagger-ui.css",
        "/api-docs/swagger-ui-init.js",
        "/api-docs/none",
      ],
    },
    {
      name: "express-validator",
      version: "7.3.2",
      code: `
import express from "express";
import { body, matchedData, query, validationResult } from "express-validator";
app.use(express.json());
app.get("/", query("person").notEmpty().escape(), (req, res) => {
  const result = validationResult(req);
  if (result.isEmpty()) return res.send(\`Hello, \${matchedData(req).person}!\`);
  res.send({ errors: result.array() });
});
app.post("/", body("email").isEmail(), (req, res) => {
  const result = validationResult(req);
  res.status(result.isEmpty() ? 201 : 400).json({ errors: result.array() });
});
`,
      requests: ["?person=<b>", "", json({ email: "ann@example.com" }), json({ email: "ann" })],
    },
    {
      name: "express-fileupload",
      version: "1.5.2",
      code: `
import fileUpload from "express-fileupload";
app.use(fileUpload({ limits: { fileSize: 50 * 1024 * 1024 } }));
app.post("/", (req, res) => {
  const files = [req.files.files ?? req.files.file].flat();
  res.json({ title: req.body.title, files: files.map(({ name, size, md5 }) => ({ name, size, md5 })) });
});
app.post("/json", (req, res) => res.json({ files: req.files ?? null }));
`,
      requests: [{ method: "POST", body: upload }, { method: "POST", body: smallUpload }, json({}, { path: "/json" })],
    },
    {
      name: "jsonwebtoken",
      version: "9.0.3",
      with: { "express-jwt": "8.5.1" },
      code: `
import { expressjwt } from "express-jwt";
import jwt from "jsonwebtoken";
const secret = "not-a-secret-for-tests";
app.get("/login", (req, res) => {
  res.json({ name: jwt.verify(jwt.sign({ name: "ann" }, secret), secret).name });
});
app.get("/me", expressjwt({ secret, algorithms: ["HS256"] }), (req, res) => res.json(req.auth));
`,
      requests: [
        "/login",
        "/me",
        { path: "/me", headers: { Authorization: "Bearer wrong" } },
        {
          path: "/me",
          headers: {
            Authorization: bearer,
          },
        },
      ],
    },
    {
      name: "pino-http",
      version: "11.0.0",
      code: `
import pinoHttp from "pino-http";
const lines = [];
app.use(pinoHttp({}, { write: (line) => lines.push(JSON.parse(line)) }));
app.get("/", (req, res) => {
  req.log.info("something else");
  res.send("hello world");
});
app.get("/lines", (req, res) => {
  res.json(lines.map(({ msg, res }) => ({ msg, status: res?.statusCode })));
});
`,
      requests: ["", "/none", "/lines"],
    },
    {
      name: "method-override",
      version: "3.0.0",
      code: `
import methodOverride from "method-override";
app.use(methodOverride("X-HTTP-Method-Override"));
app.put("/", (req, res) => res.send("put"));
app.post("/", (req, res) => res.send("post"));
`,
      requests: [{ method: "POST" }, { method: "POST", headers: { "X-HTTP-Method-Override": "PUT" } }],
    },
    {
      name: "cookie-session",
      version: "2.1.1",
      code: `
import cookieSession from "cookie-session";
app.use(cookieSession({ name: "session", keys: ["not-a-secret-for-tests"], maxAge: 24 * 60 * 60 * 1000 }));
app.get("/", (req, res) => {
  req.session.views = (req.session.views || 0) + 1;
  res.end(req.session.views + " views");
});
app.get("/missing", (req, res) => {
  req.session.missing = true;
  res.status(404).end();
});
`,
      requests: ["", "", "/missing", ""],
    },
    {
      name: "formidable",
      version: "3.5.4",
      code: `
import formidable from "formidable";
app.post("/", (req, res, next) => {
  const form = formidable({});
  form.parse(req, (err, fields, files) => {
    if (err) return next(err);
    const show = ({ originalFilename, size }) => ({ originalFilename, size });
    res.json({ fields, files: Object.values(files).flat().map(show) });
  });
});
app.post("/await", async (req, res) => {
  const [fields, files] = await formidable({ maxFileSize: 10 }).parse(req);
  res.json({ fields, names: Object.keys(files) });
});
`,
      requests: [
        { method: "POST", body: upload },
        { method: "POST", body: smallUpload },
        form("a=b"),
        { path: "/await", method: "POST", body: smallUpload, status: 500 },
      ],
    },
    {
      name: "busboy",
      version: "1.6.0",
      code: `
import busboy from "busboy";
app.post("/", (req, res) => {
  const bb = busboy({ headers: req.headers });
  const files = [];
  bb.on("file", (name, file, { filename }) => {
    let size = 0;
    file.on("data", (data) => (size += data.length)).on("close", () => files.push({ name, filename, size }));
  });
  bb.on("close", () => res.json(files));
  req.pipe(bb);
});
`,
      requests: [
        { method: "POST", body: upload },
        { method: "POST", body: smallUpload },
      ],
    },
    {
      name: "raw-body",
      version: "4.0.0",
      with: { "get-stream": "9.0.1", "content-type": "1.0.5" },
      code: `
import getStream, { getStreamAsBuffer } from "get-stream";
import getRawBody from "raw-body";
app.post("/", (req, res, next) => {
  getRawBody(req, { length: req.headers["content-length"], limit: "6mb", encoding: "utf8" }).then(
    (text) => res.json({ length: text.length, start: text.slice(0, 10) }),
    next,
  );
});
app.post("/stream", async (req, res) => res.json({ length: (await getStreamAsBuffer(req)).length }));
app.post("/text", async (req, res) => res.json({ text: await getStream(req) }));
`,
      requests: [
        { method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
        { method: "POST", body: "x".repeat(5_000_000), headers: { "Content-Type": "text/plain" } },
        { method: "POST", body: "x".repeat(7_000_000), headers: { "Content-Type": "text/plain" } },
        { path: "/stream", method: "POST", body: "x".repeat(5_000_000), headers: { "Content-Type": "text/plain" } },
        { path: "/text", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
      ],
    },
    {
      name: "graphql-http",
      version: "1.23.1",
      with: { graphql: "16.12.0" },
      code: `
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql";
import { createHandler } from "graphql-http/lib/use/express";
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: "Query", fields: { hello: { type: GraphQLString, resolve: () => "world" } } }),
});
app.all("/graphql", createHandler({ schema }));
`,
      requests: [
        json({ query: "{ hello }" }, { path: "/graphql" }),
        "/graphql?query=%7Bhello%7D",
        json({ query: "{ none }" }, { path: "/graphql" }),
      ],
    },
    {
      name: "ws",
      version: "8.22.2",
      code: `
import { WebSocketServer } from "ws";
const wss = new WebSocketServer({ noServer: true });
wss.on("connection", (ws) => {
  ws.on("error", console.error);
  ws.on("message", (data) => ws.send("echo of " + data));
});
server.on("upgrade", (request, socket, head) => {
  const { pathname } = new URL(request.url, "wss://base.url");
  if (pathname === "/ws") wss.handleUpgrade(request, socket, head, (ws) => wss.emit("connection", ws, request));
});
`,
      requests: [{ socket: ["hello", "again"] }, { path: "?query=1", socket: ["x".repeat(100_000)] }, ""],
    },
    {
      name: "socket.io",
      version: "4.8.4",
      code: `
import { Server } from "socket.io";
const io = new Server(server);
io.on("connection", (socket) => {
  socket.on("chat message", (msg) => io.emit("chat message", msg));
});
`,
      requests: [
        "/?EIO=4&transport=polling",
        "/?EIO=4&transport=none",
        "/socket.io.js",
        { path: "/?EIO=4&transport=websocket", socket: ["40", "3", '42["chat message","hello"]'] },
      ],
      masks: [/"sid":"[^"]+"/g],
    },
    {
      name: "express-ws",
      version: "5.0.2",
      code: `
import { EventEmitter } from "node:events";
import expressWs from "express-ws";
// It takes all upgrades of its server, and others here have some.
const own = new EventEmitter();
server.on("upgrade", (request, ...rest) => {
  if (request.url.startsWith("/express-ws")) own.emit("upgrade", request, ...rest);
});
const { applyTo } = expressWs(root, own);
applyTo(app);
app.use((req, res, next) => {
  req.testing = "testing";
  next();
});
app.get("/", (req, res) => {
  res.send("get route " + req.testing);
});
app.ws("/", (ws, req) => {
  ws.on("message", (msg) => ws.send(msg + " " + req.testing));
});
app.ws("/rooms/:id", (ws, req) => {
  ws.on("message", (msg) => ws.send(msg + " in " + req.params.id + req.query.n));
});
`,
      requests: [{ socket: ["hello", "again"] }, { path: "/rooms/7?n=1", socket: ["hello"] }, ""],
    },
    {
      name: "express-async-handler",
      version: "1.2.0",
      code: `
import asyncHandler from "express-async-handler";
app.get("/", asyncHandler(async (req, res) => {
  res.send(await Promise.resolve("later"));
}));
app.get("/taken", asyncHandler(async () => {
  throw Object.assign(new Error("taken"), { status: 409 });
}));
`,
      requests: ["", "/taken"],
    },
    {
      name: "express-openapi-validator",
      version: "5.6.2",
      code: `
import express from "express";
import * as OpenApiValidator from "express-openapi-validator";
const pet = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
const content = { "application/json": { schema: pet } };
const apiSpec = {
  openapi: "3.0.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "/express-openapi-validator" }],
  paths: {
    "/pets": {
      get: { parameters: [{ in: "query", name: "limit", schema: { type: "integer" } }], responses: { 200: { description: "Pets", content: { "application/json": { schema: { type: "array", items: {} } } } } } },
      post: { requestBody: { required: true, content }, responses: { 201: { description: "A pet", content } } },
    },
  },
};
app.use(express.json());
app.use(OpenApiValidator.middleware({ apiSpec, validateRequests: true, validateResponses: true }));
app.get("/pets", (req, res) => res.json([req.query.limit ?? 0]));
app.post("/pets", (req, res) => res.status(201).json(req.body));
`,
      requests: [
        "/pets?limit=5",
        "/pets?limit=x",
        "/pets?more=1",
        "/none",
        json({ name: "Tom" }, { path: "/pets" }),
        json({}, { path: "/pets" }),
        { path: "/pets", method: "POST", body: "text", headers: { "Content-Type": "text/plain" } },
      ],
    },
    {
      name: "@apollo/server",
      version: "5.5.1",
      with: { "@as-integrations/express5": "1.1.2", graphql: "16.12.0" },
      code: `
import { ApolloServer } from "@apollo/server";
import { expressMiddleware } from "@as-integrations/express5";
import express from "express";
const apollo = new ApolloServer({
  typeDefs: "type Query { hello: String }",
  resolvers: { Query: { hello: () => "world" } },
  stopOnTerminationSignals: false,
});
apollo.startInBackgroundHandlingStartupErrorsByLoggingAndFailingAllRequests();
app.use("/graphql", express.json(), expressMiddleware(apollo));
`,
      requests: [
        json({ query: "{ hello }" }, { path: "/graphql" }),
        json({ query: "{ none }" }, { path: "/graphql" }),
        { path: "/graphql?query=%7Bhello%7D", headers: { "Apollo-Require-Preflight": "yes" } },
        "/graphql?query=%7Bhello%7D",
      ],
    },
    {
      name: "ejs",
      version: "7.0.2",
      about: "as a view engine",
      code: `
import path from "node:path";
import ejs from "ejs";
app.get("/", (req, res) => {
  req.app.engine("ejs", ejs.renderFile).set("views", path.join(process.cwd(), "views"));
  res.render("hello.ejs", { name: "you" });
});
app.get("/none", (req, res) => res.render("none.ejs"));
`,
      requests: ["", { path: "/none", status: 500 }],
    },
    {
      name: "answers",
      about: "streams, server-sent events, files, redirects",
      code: `
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import express from "express";
app.use("/static", express.static("public"));
app.get("/file", (req, res) => res.sendFile("hello.txt", { root: "public" }));
app.get("/none", (req, res) => res.sendFile("none.txt", { root: "public" }));
app.get("/download", (req, res) => res.download("public/large.txt", "report.txt"));
app.get("/stream", async (req, res) => {
  res.type("text/plain");
  await pipeline(Readable.from(["a", "b", "c"]), res);
});
app.get("/pipe", (req, res) => {
  createReadStream("public/large.txt").pipe(res);
});
app.get("/events", (req, res) => {
  res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache", Connection: "keep-alive" });
  let count = 0;
  const timer = setInterval(() => {
    res.write(\`data: \${++count}\\n\\n\`);
    if (count === 12) {
      clearInterval(timer);
      res.end();
    }
  }, 250);
});
app.get("/relative", (req, res) => res.redirect("file"));
app.get("/absolute", (req, res) => res.redirect(301, "https://example.com/a"));
app.get("/back", (req, res) => res.redirect(req.get("Referrer") || "/"));
app.get("/jsonp", (req, res) => res.jsonp({ a: 1 }));
app.get("/format", (req, res) => res.format({ text: () => res.send("hey"), json: () => res.send({ hey: 1 }) }));
app.get("/empty", (req, res) => res.sendStatus(204));
app.get("/cached", (req, res) => res.set("Cache-Control", "public, max-age=60").set("ETag", '"1"').send("cached"));
app.get("/vary", (req, res) => res.vary("Accept").location("/x").links({ next: "/2" }).attachment("a.csv").send("a"));
`,
      requests: [
        "/static/hello.txt",
        "/static/",
        "/static",
        "/static/none.txt",
        { path: "/static/large.txt", headers: { Range: "bytes=0-9" } },
        { path: "/static/hello.txt", headers: { Range: "bytes=900-" } },
        { path: "/static/hello.txt", method: "HEAD" },
        "/file",
        "/none",
        "/download",
        "/stream",
        "/pipe",
        "/events",
        "/relative",
        "/absolute",
        "/back",
        "/jsonp?callback=f",
        { path: "/format", headers: { Accept: "application/json" } },
        { path: "/format", headers: { Accept: "image/png" } },
        "/empty",
        "/cached",
        { path: "/cached", headers: { "If-None-Match": '"1"', "Cache-Control": "max-age=0" } },
        "/vary",
      ],
    },
  ],
};
