import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { readBody } from "../core/http/request.ts";
import { bodyLimit, handlerTimeout } from "../core/http/routes.ts";
import { isPublic } from "../core/hono/public.ts";

const Note = z.strictObject({ text: z.string().min(1).max(50) });
let count = 0;

export const extras = new Hono<{ Bindings: HttpBindings }>();

extras.get("/names/:name", (c) => c.json({ name: c.req.param("name") }));
extras.post("/notes", zValidator("json", Note), (c) => c.json(c.req.valid("json"), 201));
extras.post("/echo", async (c) => c.json(await c.req.json()));
extras.get("/forbidden", () => {
  throw new HTTPException(403, { message: "not yours" });
});
extras.get("/gone", (c) => c.json({ error: "it moved" }, 410));
extras.get("/broken", () => {
  throw new Error("inner secret");
});
extras.post("/raw", async (c) => {
  const bytes = await readBody(c.env.incoming);
  return c.json({ sha256: createHash("sha256").update(bytes).digest("hex") });
});
extras.post("/large", bodyLimit(1_000_000), async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }));
extras.post("/twice", async (c) => {
  await c.req.text();
  return c.text(await text(c.env.incoming));
});
extras.get("/caller", (c) => c.json({ caller: c.get("caller") ?? null }));
extras.get("/status", isPublic, (c) => c.json({ status: "up" }));
extras.all("/any", (c) => c.json({ reached: "any" }));
extras.get("/doors/open", isPublic, (c) => c.json({ door: "open" }));
extras.get("/doors/:name", (c) => c.json({ door: c.req.param("name") }));
extras.get("/rooms/vault", (c) => c.json({ room: "vault" }));
extras.get("/rooms/:room", isPublic, (c) => c.json({ room: c.req.param("room") }));
extras.get("/halls/*", isPublic, (c) => c.json({ hall: true }));
extras.mount("/halls/staff", () => Response.json({ staff: true }));
extras.get("/gates/:gate", isPublic, (_c, next) => next());
extras.get("/gates/open", isPublic, (c) => c.json({ gate: "open" }));
extras.get("/gates/closed", (c) => c.json({ gate: "closed" }));
extras.mount("/gates/mounted", () => Response.json({ gate: "mounted" }));
const lobby = new Hono();
lobby.use(isPublic);
lobby.get("/a", (c) => c.json({ lobby: true }));
extras.route("/lobby", lobby);
extras.get("/patient", handlerTimeout(10_000), async (c) => {
  await sleep(1200);
  c.header("Cache-Control", "");
  return c.json({});
});
extras.get("/events", (c) =>
  streamSSE(c, async (stream) => {
    for (let each = 1; each <= 5; each++) {
      await stream.writeSSE({ data: \`\${each}\` });
      await sleep(300);
    }
  }),
);
extras.get("/limited", (c) => (++count > 2 ? c.text("Too many requests", 429) : c.json({})));
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  app.onError(",
        `  app.use(secureHeaders());
  app.use(methodOverride({ app, header: "X-Changed-Method" }));
  app.use(async (c, next) => {
    c.header("x-plugin", "yes");
    await next();
  });
  if (process.env["READ_FIRST"])
    app.use(async (c, next) => {
      if (c.req.method === "POST") await c.req.text();
      await next();
    });
  app.on("POST", ["/notes", "/echo", "/raw", "/large"], async (c, next) => {
    await c.req.text();
    await next();
  });

  app.onError(`,
      ],
      ['      .route("/", routes(parts))', '      .route("/", routes(parts))\n      .route("/", extras)'],
      [
        'import { Hono } from "hono";',
        'import { Hono } from "hono";\nimport { methodOverride } from "hono/method-override";\nimport { secureHeaders } from "hono/secure-headers";\nimport { extras } from "./extras/routes.ts";',
      ],
    ],
    "src/main.ts": [
      [
        "  toListener,",
        `  toListener: (app) => ({ ...toListener(app), close: () => console.log('{"message":"closed"}') }),`,
      ],
    ],
  },
};
