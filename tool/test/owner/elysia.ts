import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Elysia, sse, status, t } from "elysia";
import { caller, publicRoutes } from "../core/elysia/public.ts";
import { bodyLimit, handlerTimeout, nodeRequest } from "../core/elysia/request.ts";

const Note = t.Object({ text: t.String({ minLength: 1, maxLength: 50 }) }, { additionalProperties: false });
let count = 0;

/** Plugins may be async. */
async function lobby() {
  return new Elysia()
    .use(publicRoutes)
    .guard({ isPublic: true }, (app) => app.get("/lobby/a", () => ({ lobby: true })));
}

export const extras = new Elysia()
  .use(bodyLimit)
  .use(handlerTimeout)
  .use(publicRoutes)
  .use(caller)
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
  .post("/raw", ({ body }) => ({ sha256: createHash("sha256").update(Buffer.from(body as ArrayBuffer)).digest("hex") }), {
    parse: "arrayBuffer",
  })
  .post("/large", async ({ request }) => ({ bytes: (await request.arrayBuffer()).byteLength }), { bodyLimit: 1_000_000 })
  .post("/twice", async ({ request }) => {
    await request.text();
    return text(nodeRequest(request));
  })
  .get("/caller", ({ caller }) => ({ caller: caller ?? null }))
  .get("/status", () => ({ status: "up" }), { isPublic: true })
  .all("/any", () => ({ reached: "any" }))
  .get("/doors/open", () => ({ door: "open" }), { isPublic: true })
  .get("/doors/:name", ({ params }) => ({ door: params.name }))
  .get("/rooms/vault", () => ({ room: "vault" }))
  .get("/rooms/:room", ({ params }) => ({ room: params.room }), { isPublic: true })
  .get("/halls/*", () => ({ hall: true }), { isPublic: true })
  .use(lobby())
  .get(
    "/patient",
    ({ set }) => {
      set.headers["cache-control"] = "";
      return sleep(1200, {});
    },
    { handlerTimeout: 10_000 },
  )
  .get("/events", async function* () {
    for (let each = 1; each <= 5; each++) {
      yield sse(\`\${each}\`);
      await sleep(300);
    }
  })
  .get("/limited", () => (++count > 2 ? status(429, "Too many requests") : {}))
  .onStop(() => console.log('{"message":"closed"}'));
`,
  },
  edits: {
    "src/app.ts": [
      ["new Elysia({ adapter: node(),", "new Elysia({ adapter: node(), normalize: false,"],
      [
        '      .get("/health"',
        `      .use(extras)
      .onRequest(async ({ request, set }) => {
        set.headers["x-plugin"] = "yes";
        if (request.url.endsWith("/halls/staff") && request.method !== "GET") return { staff: true };
        const isRead = process.env["READ_FIRST"] || /\\/(notes|echo|raw|large)$/.test(request.url);
        if (request.method === "POST" && isRead) await request.clone().text();
        return undefined;
      })
      .get("/health"`,
      ],
      [
        'import { Elysia } from "elysia";',
        'import { Elysia } from "elysia";\nimport { extras } from "./extras/routes.ts";',
      ],
    ],
  },
};
