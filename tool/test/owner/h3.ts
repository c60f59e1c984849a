import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { H3, HTTPError, getRouterParam, readBody, readValidatedBody } from "h3";
import { z } from "zod";
import { nodeRequest } from "../body.ts";
import { readBody as readBytes } from "../http/body.ts";

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
  await event.req.text();
  return text(nodeRequest(event));
});
extras.get("/status", () => ({ status: "up" }), { meta: { isPublic: true } });
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
      [
        '  app.mount("/items", itemRoutes(parts));',
        '  app.mount("/items", itemRoutes(parts));\n  app.mount("/", extras);',
      ],
      [
        'import { causeOf } from "./errors.ts";',
        'import { causeOf } from "./errors.ts";\nimport { extras } from "./extras/routes.ts";',
      ],
      [
        "    close: () => server.close(),",
        `    close: () => server.close().then(() => console.log('{"message":"closed"}')),`,
      ],
    ],
  },
};
