import type { Ecosystem } from "./ecosystem.ts";
import { ecosystem as hono } from "./hono.ts";

/** What people add to a backend in any framework: each needs something that a bundle could take from it. */
export const ecosystem: Ecosystem = {
  ...hono,
  framework: "hono",
  packages: [
    {
      name: "mongoose",
      version: "9.12.1",
      about: "reads the names of classes",
      code: `
import mongoose from "mongoose";
const Cat = mongoose.model("Cat", new mongoose.Schema({ name: { type: String, required: true } }));
app.get("/", (c) => new Cat({}).validate().catch((error) => c.json({ message: error.message })));
`,
      requests: [""],
    },
    {
      name: "typeorm",
      version: "1.1.1",
      with: { "sql.js": "1.16.0" },
      about: "loads its driver by name, and WebAssembly",
      code: `
import { DataSource, EntitySchema } from "typeorm";
const columns = { id: { type: Number, primary: true, generated: true }, name: { type: String } };
const Cat = new EntitySchema({ name: "cat", columns });
const source = new DataSource({ type: "sqljs", entities: [Cat], synchronize: true }).initialize();
app.get("/", async (c) => {
  const cats = (await source).getRepository(Cat);
  await cats.save({ name: "Tom" });
  return c.json(await cats.findBy({ name: "Tom" }));
});
`,
      requests: [""],
    },
    {
      name: "knex",
      version: "3.3.0",
      about: "loads its dialect by name",
      code: `
import knex from "knex";
app.get("/", (c) => c.text(knex({ client: "pg" })("cats").where({ name: "Tom" }).toString()));
`,
      requests: [""],
    },
    {
      name: "moment-timezone",
      version: "0.6.6",
      about: "loads locales by another name of require",
      code: `
import moment from "moment-timezone";
app.get("/:locale", (c) => c.text(moment.tz("2026-01-01", "Asia/Tokyo").locale(c.req.param("locale")).format("LLLL Z")));
`,
      requests: ["/de", "/ja"],
    },
    {
      name: "i18next-fs-backend",
      version: "2.6.8",
      with: { i18next: "27.0.1" },
      about: "await at the top level",
      code: `
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import i18next from "i18next";
import Backend from "i18next-fs-backend";
const folder = mkdtempSync(join(tmpdir(), "locales-"));
writeFileSync(join(folder, "de.json"), '{"hello":"hallo"}');
const ready = i18next.use(Backend).init({ lng: "de", backend: { loadPath: join(folder, "{{lng}}.json") } });
app.get("/", async (c) => c.text((await ready)("hello")));
`,
      requests: [""],
    },
    {
      name: "yoga-layout",
      version: "3.2.1",
      about: "await at the top level, and WebAssembly",
      code: `
import Yoga, { Edge } from "yoga-layout";
app.get("/", (c) => {
  const node = Yoga.Node.create();
  node.setWidth(100);
  node.setPadding(Edge.All, 10);
  node.calculateLayout(undefined, undefined);
  return c.json(node.getComputedLayout());
});
`,
      requests: [""],
    },
    {
      name: "pdfkit",
      version: "0.20.2",
      about: "reads its fonts",
      code: `
import PDFDocument from "pdfkit";
app.get("/", async (c) => {
  const document = new PDFDocument({ info: { CreationDate: new Date(0) } });
  document.font("Times-Roman").text("hello").end();
  const chunks = await Array.fromAsync(document);
  return c.text(Buffer.concat(chunks).subarray(0, 8).toString());
});
`,
      requests: [""],
    },
    {
      name: "nunjucks",
      version: "3.2.4",
      about: "reads its templates",
      code: `
import nunjucks from "nunjucks";
const templates = nunjucks.configure("views", { autoescape: true });
app.get("/", (c) => c.html(nunjucks.renderString("Hello {{ name | upper }}", { name: "Tom" })));
app.get("/file", (c) => c.html(templates.render("hello.hbs", { name: "<Tom>" })));
`,
      requests: ["", "/file"],
    },
    {
      name: "@grpc/grpc-js",
      version: "1.14.7",
      with: { "@grpc/proto-loader": "0.8.1" },
      about: "reads the definitions of protobufjs",
      code: `
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
const file = join(mkdtempSync(join(tmpdir(), "proto-")), "cats.proto");
const service = "service Cats { rpc Find (Cat) returns (Cat) {} }";
const message = "message Cat { string name = 1; google.protobuf.Timestamp born = 2; }";
writeFileSync(file, 'syntax = "proto3"; import "google/protobuf/timestamp.proto"; ' + service + message);
const { Cats } = grpc.loadPackageDefinition(loadSync(file));
app.get("/", async (c) => {
  const own = new grpc.Server();
  own.addService(Cats.service, { Find: ({ request }, answer) => answer(null, { name: request.name + "!" }) });
  const port = await promisify(own.bindAsync.bind(own))("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
  const client = new Cats("127.0.0.1:" + port, grpc.credentials.createInsecure());
  const found = await promisify(client.Find.bind(client))({ name: "Tom" });
  client.close();
  own.forceShutdown();
  return c.json(found);
});
`,
      requests: [""],
    },
    {
      name: "tiktoken",
      version: "1.0.22",
      about: "loads WebAssembly",
      code: `
import { get_encoding } from "tiktoken";
app.get("/", (c) => c.json([...get_encoding("cl100k_base").encode("hello world")]));
`,
      requests: [""],
    },
    {
      name: "workerpool",
      version: "10.0.3",
      about: "starts workers",
      code: `
import workerpool from "workerpool";
app.get("/", async (c) => {
  const pool = workerpool.pool();
  const sum = await pool.exec((a, b) => a + b, [1, 2]);
  await pool.terminate();
  return c.json({ sum });
});
`,
      requests: [""],
    },
    {
      name: "log4js",
      version: "6.9.1",
      about: "loads appenders by name",
      code: `
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import log4js from "log4js";
const filename = join(mkdtempSync(join(tmpdir(), "logs-")), "app.log");
const appenders = { file: { type: "dateFile", filename }, kept: { type: "recording" } };
log4js.configure({ appenders, categories: { default: { appenders: ["file", "kept"], level: "info" } } });
app.get("/", (c) => {
  log4js.getLogger().info("hello");
  return c.json(log4js.recording().replay().map(({ data }) => data));
});
`,
      requests: [""],
    },
    {
      name: "winston",
      version: "3.19.0",
      code: `
import winston from "winston";
app.get("/", (c) => c.json(Object.keys(winston.transports)));
`,
      requests: [""],
    },
    {
      name: "nodemailer",
      version: "10.5.0",
      code: `
import nodemailer from "nodemailer";
app.get("/", async (c) => {
  const mail = { from: "a@example.com", to: "b@example.com", text: "hello" };
  return c.json((await nodemailer.createTransport({ jsonTransport: true }).sendMail(mail)).envelope);
});
`,
      requests: [""],
    },
    {
      name: "@aws-sdk/s3-request-presigner",
      version: "3.1162.0",
      with: { "@aws-sdk/client-s3": "3.1166.0" },
      code: `
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
const credentials = { accessKeyId: "visibly-fake", secretAccessKey: "visibly-fake" };
const client = new S3Client({ region: "us-east-1", credentials });
app.get("/", async (c) => {
  const url = new URL(await getSignedUrl(client, new GetObjectCommand({ Bucket: "cats", Key: "tom" })));
  return c.json([url.origin, [...url.searchParams.keys()]]);
});
`,
      requests: [""],
    },
    {
      name: "ssh2",
      version: "1.17.0",
      about: "an addon that may be absent",
      code: `
import ssh from "ssh2";
app.get("/", (c) => c.json(Object.keys(ssh.utils)));
`,
      requests: [""],
    },
  ],
};
