import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { Router } from "express";
import { rateLimit } from "express-rate-limit";
import createError from "http-errors";
import { z } from "zod";
import { valid } from "../body.ts";
import { bodyLimit, readBody } from "../http/body.ts";
import { isPublic } from "../public.ts";

const Note = z.strictObject({ text: z.string().min(1).max(50) });

export const extras = Router();

extras.get("/names/:name", (req, res) => {
  res.json({ name: req.params["name"] });
});
extras.post("/notes", valid(Note), (req, res) => {
  res.status(201).json(req.body);
});
extras.post("/echo", (req, res) => {
  res.json(req.body);
});
extras.get("/forbidden", () => {
  throw createError(403, "not yours");
});
extras.get("/gone", (_req, res) => {
  res.status(410).json({ error: "it moved" });
});
extras.get("/broken", () => {
  throw new Error("inner secret");
});
extras.post("/raw", async (req, res) => {
  res.json({ sha256: createHash("sha256").update(await readBody(req)).digest("hex") });
});
extras.post("/large", bodyLimit(1_000_000), async (req, res) => {
  res.json({ bytes: (await readBody(req)).length });
});
extras.post("/twice", async (req, res) => {
  res.send(await text(req));
});
extras.get("/status", isPublic, (_req, res) => {
  res.json({ status: "up" });
});
extras.get("/limited", rateLimit({ limit: 2, validate: false }), (_req, res) => {
  res.json({});
});
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  app.use(jsonBody);",
        `  app.use(["/notes", "/echo", "/twice"], express.json());
  app.use(helmet());
  if (process.env["READ_FIRST"]) app.use(express.json());
  app.use((_req, res, next) => {
    res.set("x-plugin", "yes");
    next();
  });
  app.use(jsonBody);`,
      ],
      ['  app.use("/items", itemRoutes(parts));', '  app.use("/items", itemRoutes(parts));\n  app.use(extras);'],
      [
        'import express, { type Request, type Response } from "express";',
        'import express, { type Request, type Response } from "express";\nimport helmet from "helmet";\nimport { extras } from "./extras/routes.ts";',
      ],
      [
        "  return { listener, routes };",
        `  return { listener, routes, close: () => console.log('{"message":"closed"}') };`,
      ],
    ],
  },
};
