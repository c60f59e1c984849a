import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import Router from "@koa/router";
import createError from "http-errors";
import { z } from "zod";
import { valid } from "../body.ts";
import { bodyLimit, readBody } from "../http/body.ts";
import { isPublic } from "../public.ts";

const Note = z.strictObject({ text: z.string().min(1).max(50) });
let count = 0;

export const extras = new Router();

extras.get("/names/:name", (ctx) => {
  ctx.body = { name: ctx.params["name"] };
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
  ctx.body = await text(ctx.req);
});
extras.get("/status", isPublic, (ctx) => {
  ctx.body = { status: "up" };
});
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
        `  app.use(bodyParser({ jsonLimit: "2mb" }));
  app.use(async (ctx, next) => {
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
  app.use(jsonBody);`,
      ],
      [
        "  app.use(router.routes());",
        "  app.use(router.routes());\n  app.use(extras.routes());\n  app.use(extras.allowedMethods());",
      ],
      [
        'import Router from "@koa/router";',
        'import { text } from "node:stream/consumers";\nimport { setTimeout as sleep } from "node:timers/promises";\nimport { bodyParser } from "@koa/bodyparser";\nimport Router from "@koa/router";\nimport { extras } from "./extras/routes.ts";',
      ],
    ],
  },
};
