import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import rateLimit from "@fastify/rate-limit";
import type { FastifyPluginAsync } from "fastify";
import createError from "http-errors";
import { readBody } from "../core/http/request.ts";

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
  app.post("/twice", async ({ raw }) => [await text(raw), await text(raw)][1]);
  app.get("/caller", async (request) => ({ caller: request.caller ?? null }));
  app.get("/status", { config: { isPublic: true } }, async () => ({ status: "up" }));
  app.all("/any", async () => ({ reached: "any" }));
  app.get("/doors/open", { config: { isPublic: true } }, async () => ({ door: "open" }));
  app.get<{ Params: { name: string } }>("/doors/:name", async ({ params }) => ({ door: params.name }));
  app.get("/rooms/vault", async () => ({ room: "vault" }));
  app.get<{ Params: { room: string } }>("/rooms/:room", { config: { isPublic: true } }, async ({ params }) => ({
    room: params.room,
  }));
  app.get("/halls/*", { config: { isPublic: true } }, async () => ({ hall: true }));
  app.register(
    async (lobby) => {
      lobby.addHook("onRoute", (route) => {
        route.config = { ...route.config, isPublic: true };
      });
      lobby.get("/a", async () => ({ lobby: true }));
    },
    { prefix: "/lobby" },
  );
  app.get("/patient", { handlerTimeout: 10_000 }, async (_request, reply) => {
    await sleep(1200);
    return reply.header("Cache-Control", "").send({});
  });
  app.get("/events", async (_request, reply) => {
    async function* events() {
      for (let each = 1; each <= 5; each++) {
        yield \`data: \${each}\\n\\n\`;
        await sleep(300);
      }
    }
    return reply.type("text/event-stream").send(Readable.from(events()));
  });
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
        "Fastify(serverOptions(parts))",
        `Fastify({
    ...serverOptions(parts),
    rewriteUrl: ({ url = "" }) => (url === "/halls/back" ? "/names/back" : url),
  })`,
      ],
      [
        "  app.setErrorHandler(",
        `  await app.register(cookie);
  app.addHook("onRequest", async (_request, reply) => {
    reply.header("x-plugin", "yes");
  });
  app.addHook("onRequest", async (request, reply) => {
    if (request.url === "/halls/staff" && request.method !== "GET") return reply.send({ staff: true });
  });

  app.setErrorHandler(`,
      ],
      ["  app.register(routes, { parts });", "  app.register(routes, { parts });\n  await app.register(extras);"],
      [
        "import Fastify",
        'import cookie from "@fastify/cookie";\nimport { extras } from "./extras/routes.ts";\nimport Fastify',
      ],
    ],
  },
};
