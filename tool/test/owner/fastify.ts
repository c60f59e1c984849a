import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import rateLimit from "@fastify/rate-limit";
import type { FastifyPluginAsync } from "fastify";
import createError from "http-errors";
import { readBody } from "../http/body.ts";

const Note = {
  type: "object",
  properties: { text: { type: "string", minLength: 1, maxLength: 50 } },
  required: ["text"],
  additionalProperties: false,
};

export const extras: FastifyPluginAsync = async (app) => {
  await app.register(rateLimit, { global: false });
  app.addHook("onClose", async () => console.log('{"message":"closed"}'));

  app.get<{ Params: { name: string } }>("/names/:name", async (request) => ({ name: request.params.name }));
  app.post("/notes", { schema: { body: Note } }, async (request, reply) => {
    reply.code(201);
    return request.body;
  });
  app.post("/echo", async (request) => request.body);
  app.get("/forbidden", async () => {
    throw createError(403, "not yours");
  });
  app.get("/gone", async (_request, reply) => reply.code(410).send({ error: "it moved" }));
  app.get("/broken", async () => {
    throw new Error("inner secret");
  });
  app.post("/large", { bodyLimit: 1_000_000 }, async (request) => ({ bytes: (await readBody(request.raw)).length }));
  app.post("/twice", async (request) => text(request.raw));
  app.get("/status", { config: { isPublic: true } }, async () => ({ status: "up" }));
  app.get("/limited", { config: { rateLimit: { max: 2, timeWindow: "1 minute" } } }, async () => ({}));
  app.register(raw);
};

const raw: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.post<{ Body: Buffer }>("/raw", async (request) => ({
    sha256: createHash("sha256").update(request.body).digest("hex"),
  }));
};
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  app.setErrorHandler(",
        `  app.register(cookie);
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("x-plugin", "yes");
  });

  app.setErrorHandler(`,
      ],
      [
        '  app.register(itemRoutes, { prefix: "/items", parts });',
        '  app.register(itemRoutes, { prefix: "/items", parts });\n  app.register(extras);',
      ],
      [
        "import Fastify, ",
        'import cookie from "@fastify/cookie";\nimport { extras } from "./extras/routes.ts";\nimport Fastify, ',
      ],
    ],
  },
};
