import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import express, { Router } from "express";
import { rateLimit } from "express-rate-limit";
import createError from "http-errors";
import { z } from "zod";
import { valid } from "../core/express/connect.ts";
import { readBody } from "../core/http/request.ts";
import { bodyLimit, handlerTimeout } from "../core/http/routes.ts";
import { isPublic } from "../core/express/public.ts";

const Note = z.strictObject({ text: z.string().min(1).max(50) });

export const extras = Router();

extras.get("/names/:name", (req, res) => {
  res.json({ name: req.params.name });
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
extras.get("/caller", (_req, res) => {
  res.json({ caller: res.locals.caller ?? null });
});
extras.get("/status", isPublic, (_req, res) => {
  res.json({ status: "up" });
});
extras.all("/any", (_req, res) => {
  res.json({ reached: "any" });
});
extras.get("/doors/open", isPublic, (_req, res) => {
  res.json({ door: "open" });
});
extras.get("/doors/:name", (req, res) => {
  res.json({ door: req.params.name });
});
extras.get("/rooms/vault", (_req, res) => {
  res.json({ room: "vault" });
});
extras.get("/rooms/:room", isPublic, (req, res) => {
  res.json({ room: req.params.room });
});
const office = express();
office.get("/", (_req, res) => {
  res.json({ office: true });
});
extras.use("/halls/office", office);
extras.get("/halls/*path", isPublic, (_req, res) => {
  res.json({ hall: true });
});
extras.use("/halls/staff", (_req, res) => {
  res.json({ staff: true });
});
extras.get("/gates/:gate", isPublic, (_req, _res, next) => next("route"));
extras.get("/gates/open", isPublic, (_req, res) => {
  res.json({ gate: "open" });
});
extras.get("/gates/closed", (_req, res) => {
  res.json({ gate: "closed" });
});
extras.use("/gates/mounted", (_req, res) => {
  res.json({ gate: "mounted" });
});
const lobby = Router();
lobby.use(isPublic);
lobby.get("/a", (_req, res) => {
  res.json({ lobby: true });
});
extras.use("/lobby", lobby);
extras.get("/patient", handlerTimeout(10_000), async (_req, res) => {
  await sleep(1200);
  res.set("Cache-Control", "").json({});
});
extras.get("/events", async (_req, res) => {
  res.writeHead(200, { "Content-Type": "text/event-stream" });
  for (let each = 1; each <= 5; each++) {
    res.write(\`data: \${each}\\n\\n\`);
    await sleep(300);
  }
  res.end();
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
  app.use((req, res, next) => {
    if (req.url === "/halls/back") req.url = "/names/back";
    req.method = req.get("X-Changed-Method") ?? req.method;
    res.set("x-plugin", "yes");
    next();
  });
  app.use(jsonBody);
  const desk = express();
  desk.get("/", (_req, res) => {
    res.json({ desk: true });
  });
  app.use("/halls/desk", desk);`,
      ],
      ["  app.use(routes(parts));", "  app.use(routes(parts));\n  app.use(extras);"],
      [
        'import express from "express";',
        'import express from "express";\nimport helmet from "helmet";\nimport { extras } from "./extras/routes.ts";',
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
