import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import type { HttpBindings } from "@hono/node-server";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { bodyLimit, readBody } from "../http/body.ts";
import { isPublic } from "../public.ts";

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
extras.get("/status", isPublic, (c) => c.json({ status: "up" }));
extras.get("/limited", (c) => (++count > 2 ? c.text("Too many requests", 429) : c.json({})));
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  app.onError(",
        `  app.use(secureHeaders());
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
      [
        '  app.route("/items", itemRoutes(parts));',
        '  app.route("/items", itemRoutes(parts));\n  app.route("/", extras);',
      ],
      [
        'import { Hono } from "hono";',
        'import { Hono } from "hono";\nimport { secureHeaders } from "hono/secure-headers";\nimport { extras } from "./extras/routes.ts";',
      ],
      ["routes: routesOf(app) };", `routes: routesOf(app), close: () => console.log('{"message":"closed"}') };`],
    ],
  },
};
