import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { Elysia, status, t } from "elysia";
import { readBody } from "../http/body.ts";
import { publicRoutes } from "../public.ts";
import { bodyLimit, nodeRequest } from "../request.ts";

const Note = t.Object({ text: t.String({ minLength: 1, maxLength: 50 }) }, { additionalProperties: false });
let count = 0;

export const extras = new Elysia()
  .use(bodyLimit)
  .use(publicRoutes)
  .get("/names/:name", ({ params }) => ({ name: params.name }))
  .post("/notes", ({ body }) => status(201, body), { body: Note })
  .post("/echo", ({ body }) => body)
  .get("/forbidden", () => {
    throw status(403, "not yours");
  })
  .get("/gone", () => status(410, { error: "it moved" }))
  .get("/broken", () => {
    throw new Error("inner secret");
  })
  .post("/raw", async ({ request }) => {
    const bytes = await readBody(nodeRequest(request));
    return { sha256: createHash("sha256").update(bytes).digest("hex") };
  })
  .post("/large", async ({ request }) => ({ bytes: (await request.arrayBuffer()).byteLength }), { bodyLimit: 1_000_000 })
  .post("/twice", async ({ request }) => {
    await request.text();
    return text(nodeRequest(request));
  })
  .get("/status", () => ({ status: "up" }), { isPublic: true })
  .get("/limited", () => (++count > 2 ? status(429, "Too many requests") : {}))
  .onStop(() => console.log('{"message":"closed"}'));
`,
  },
  edits: {
    "src/app.ts": [
      ["new Elysia({ adapter: node,", "new Elysia({ adapter: node, normalize: false,"],
      [
        '  app.get("/health"',
        `  app.use(extras);
  app.onRequest(async ({ request, set }) => {
    set.headers["x-plugin"] = "yes";
    const isRead = process.env["READ_FIRST"] || /\\/(notes|echo|raw|large)$/.test(request.url);
    if (request.method === "POST" && isRead) await request.clone().text();
  });

  app.get("/health"`,
      ],
      ["import { toNodeHandler }", 'import { extras } from "./extras/routes.ts";\nimport { toNodeHandler }'],
    ],
  },
};
