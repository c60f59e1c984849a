import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import Router from "@koa/router";
import createError from "http-errors";
import type { Middleware } from "koa";
import { z } from "zod";
import { valid } from "../core/koa/connect.ts";
import { readBody } from "../core/http/request.ts";
import { bodyLimit, handlerTimeout } from "../core/http/routes.ts";
import { isPublic } from "../core/koa/public.ts";

const Note = z.strictObject({ text: z.string().min(1).max(50) });
let count = 0;

export const extras = new Router();

extras.get("/names/:name", (ctx) => {
  ctx.body = { name: ctx.params.name };
});
extras.post("/notes", valid(Note), (ctx) => {
  ctx.status = 201;
  ctx.body = ctx.request.body;
});
extras.post("/echo", (ctx) => {
  ctx.body = ctx.request.body;
});
extras.get("/forbidden", (ctx) => {
  ctx.throw(403, "not yours");
});
extras.get("/gone", () => {
  throw createError(410, "it moved");
});
extras.get("/broken", () => {
  throw new Error("inner secret");
});
extras.post("/raw", async (ctx) => {
  ctx.body = { sha256: createHash("sha256").update(await readBody(ctx.req)).digest("hex") };
});
extras.post("/large", bodyLimit(1_000_000), async (ctx) => {
  ctx.body = { bytes: (await readBody(ctx.req)).length };
});
extras.post("/twice", async (ctx) => {
  await text(ctx.req);
  ctx.body = await text(ctx.req);
});
extras.get("/caller", (ctx) => {
  ctx.body = { caller: ctx.state.caller ?? null };
});
extras.get("/status", isPublic, (ctx) => {
  ctx.body = { status: "up" };
});
extras.all("/any", (ctx) => {
  ctx.body = { reached: "any" };
});
extras.get("/doors/open", isPublic, (ctx) => {
  ctx.body = { door: "open" };
});
extras.get("/doors/:name", (ctx) => {
  ctx.body = { door: ctx.params.name };
});
extras.get("/rooms/vault", (ctx) => {
  ctx.body = { room: "vault" };
});
extras.get("/rooms/:room", isPublic, (ctx) => {
  ctx.body = { room: ctx.params.room };
});
extras.get("/halls/*path", isPublic, (ctx) => {
  ctx.body = { hall: true };
});
extras.get("/gates/:gate", isPublic, (_ctx, next) => next());
extras.get("/gates/open", isPublic, (ctx) => {
  ctx.body = { gate: "open" };
});
extras.get("/gates/closed", (ctx) => {
  ctx.body = { gate: "closed" };
});
extras.use("/gates/mounted", (ctx) => {
  ctx.body = { gate: "mounted" };
});
export const staff: Middleware = async (ctx, next) => {
  if (ctx.path === "/halls/back") ctx.path = "/names/back";
  if (ctx.path !== "/halls/staff" || ctx.method === "GET") return next();
  ctx.body = { staff: true };
};
const lobby = new Router({ prefix: "/lobby" });
lobby.use(isPublic);
lobby.get("/a", (ctx) => {
  ctx.body = { lobby: true };
});
extras.use(lobby.routes());
extras.get("/patient", handlerTimeout(10_000), async (ctx) => {
  await sleep(1200);
  ctx.set("Cache-Control", "");
  ctx.body = {};
});
extras.get("/events", (ctx) => {
  ctx.type = "text/event-stream";
  ctx.body = Readable.from(events());
});
async function* events() {
  for (let each = 1; each <= 5; each++) {
    yield \`data: \${each}\\n\\n\`;
    await sleep(300);
  }
}
extras.get("/limited", (ctx) => {
  if (++count > 2) ctx.throw(429);
  ctx.body = {};
});
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  app.use(jsonBody);",
        `  app.use(async (ctx, next) => {
    ctx.method = ctx.get("X-Changed-Method") || ctx.method;
    ctx.set("x-plugin", "yes");
    await next();
  });
  if (process.env["READ_FIRST"])
    app.use(async (ctx, next) => {
      if (ctx.method === "POST") await text(ctx.req);
      await next();
    });
  app.on("close", async () => {
    await sleep(10);
    console.log(JSON.stringify({ message: "closed" }));
  });
  app.use(jsonBody);
  app.use(bodyParser({ jsonLimit: "2mb" }));`,
      ],
      [
        "  app.use(router.routes());",
        "  app.use(router.routes());\n  app.use(staff);\n  app.use(extras.routes());\n  app.use(extras.allowedMethods());",
      ],
      [
        'import Router from "@koa/router";',
        'import { text } from "node:stream/consumers";\nimport { setTimeout as sleep } from "node:timers/promises";\nimport { bodyParser } from "@koa/bodyparser";\nimport Router from "@koa/router";\nimport { extras, staff } from "./extras/routes.ts";',
      ],
    ],
  },
};
