import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { H3, HTTPError, createEventStream, getRouterParam, readBody, readValidatedBody } from "h3";
import { z } from "zod";
import { nodeRequest } from "../core/h3/connect.ts";
import { readBody as readBytes } from "../core/http/request.ts";

const Note = z.strictObject({ text: z.string().min(1).max(50) });
let count = 0;

export const extras = new H3();

extras.get("/names/:name", (event) => ({ name: getRouterParam(event, "name", { decode: true }) }));
extras.post("/notes", async (event) => {
  const note = await readValidatedBody(event, Note);
  event.res.status = 201;
  return note;
});
extras.post("/echo", (event) => readBody(event));
extras.get("/forbidden", () => {
  throw new HTTPError({ status: 403, message: "not yours" });
});
extras.get("/gone", () => {
  throw HTTPError.status(410, "Gone", { message: "it moved" });
});
extras.get("/broken", () => {
  throw new Error("inner secret");
});
extras.post("/raw", async (event) => {
  const bytes = await readBytes(nodeRequest(event));
  return { sha256: createHash("sha256").update(bytes).digest("hex") };
});
extras.post("/large", async (event) => ({ bytes: (await event.req.arrayBuffer()).byteLength }), {
  meta: { bodyLimit: 1_000_000 },
});
extras.post("/twice", async (event) => {
  await text(nodeRequest(event));
  return text(nodeRequest(event));
});
extras.get("/caller", (event) => ({ caller: event.context.caller ?? null }));
extras.get("/status", () => ({ status: "up" }), { meta: { isPublic: true } });
extras.all("/any", () => ({ reached: "any" }));
extras.get("/doors/open", () => ({ door: "open" }), { meta: { isPublic: true } });
extras.get("/doors/:name", (event) => ({ door: getRouterParam(event, "name") }));
extras.get("/rooms/vault", () => ({ room: "vault" }));
extras.get("/rooms/:room", (event) => ({ room: getRouterParam(event, "room") }), { meta: { isPublic: true } });
extras.get("/halls/**", () => ({ hall: true }), { meta: { isPublic: true } });
extras.use("/halls/staff", (event) => (event.req.method === "GET" ? undefined : { staff: true }));
const lobby = new H3();
lobby.get("/a", () => ({ lobby: true }), { meta: { isPublic: true } });
extras.mount("/lobby", lobby);
extras.get(
  "/patient",
  (event) => {
    event.res.headers.set("Cache-Control", "");
    return sleep(1200, {});
  },
  { meta: { handlerTimeout: 10_000 } },
);
extras.get("/events", (event) => {
  const stream = createEventStream(event);
  const push = async () => {
    for (let each = 1; each <= 5; each++) {
      await stream.push(\`\${each}\`);
      await sleep(300);
    }
    await stream.close();
  };
  void push();
  return stream.send();
});
extras.get("/limited", () => {
  if (++count > 2) throw new HTTPError({ status: 429, message: "Too many requests" });
  return {};
});
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  app.use(jsonBody);",
        `  app.use((event) => {
    event.res.headers.set("x-plugin", "yes");
  });
  app.use(jsonBody);
  app.use("/notes", async (event) => {
    await event.req.text();
  });`,
      ],
      ['  app.mount("", routes(parts));', '  app.mount("", routes(parts));\n  app.mount("/", extras);'],
      [
        'import { jsonBody, sendProblem } from "./core/h3/connect.ts";',
        'import { jsonBody, sendProblem } from "./core/h3/connect.ts";\nimport { extras } from "./extras/routes.ts";',
      ],
    ],
    "src/main.ts": [
      [
        "  toListener,",
        `  toListener: (app) => {
    const { close, ...listener } = toListener(app);
    return { ...listener, close: () => Promise.resolve(close?.()).then(() => console.log('{"message":"closed"}')) };
  },`,
      ],
    ],
  },
};
