import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { badImplementation, forbidden, resourceGone, tooManyRequests } from "@hapi/boom";
import type { Plugin } from "@hapi/hapi";
import Joi from "joi";

const Note = Joi.object({ text: Joi.string().min(1).max(50).required() });
let count = 0;

export const extras: Plugin<void> = {
  name: "extras",
  register(server) {
    server.ext("onPreResponse", ({ response }, h) => {
      if ("isBoom" in response) response.output.headers["x-plugin"] = "yes";
      else response.header("x-plugin", "yes");
      return h.continue;
    });
    server.ext("onRequest", (request, h) => {
      const { path, method } = request;
      request.headers["x-caller"] = request.app.caller;
      if (path === "/halls/back") request.setUrl("/names/back");
      return path === "/halls/staff" && method !== "get" ? h.response({ staff: true }).takeover() : h.continue;
    });
    server.ext("onPostStop", async () => {
      console.log(JSON.stringify({ message: "closed" }));
    });
    server.state("seen", { isSecure: false, encoding: "base64json" });

    server.route([
      {
        method: "GET",
        path: "/names/{name}",
        handler: ({ params }, h) => h.response({ name: params["name"] }).state("seen", { name: params["name"] }),
      },
      {
        method: "POST",
        path: "/notes",
        options: { validate: { payload: Note } },
        handler: ({ payload }, h) => h.response(payload).code(201),
      },
      { method: "POST", path: "/echo", handler: ({ payload }) => payload },
      {
        method: "GET",
        path: "/forbidden",
        handler: () => {
          throw forbidden("not yours");
        },
      },
      { method: "GET", path: "/gone", handler: () => resourceGone("it moved") },
      {
        method: "GET",
        path: "/broken",
        handler: () => {
          throw new Error("inner secret");
        },
      },
      {
        method: "POST",
        path: "/raw",
        options: { payload: { parse: false } },
        handler: ({ payload }) => ({ sha256: createHash("sha256").update(payload as Buffer).digest("hex") }),
      },
      {
        method: "POST",
        path: "/large",
        options: { payload: { maxBytes: 1_000_000, parse: false } },
        handler: ({ payload }) => ({ bytes: (payload as Buffer).length }),
      },
      {
        method: "GET",
        path: "/patient",
        options: { cache: false, timeout: { server: 10_000 } },
        handler: async (_request, h) => h.response(await sleep(1200, {})).header("Cache-Control", ""),
      },
      {
        method: "GET",
        path: "/events",
        handler: (_request, h) => {
          async function* events() {
            for (let each = 1; each <= 5; each++) {
              yield \`data: \${each}\\n\\n\`;
              await sleep(300);
            }
          }
          return h.response(Readable.from(events(), { objectMode: false })).type("text/event-stream");
        },
      },
      { method: "POST", path: "/twice", handler: async ({ raw }) => [await text(raw.req), await text(raw.req)][1] },
      {
        method: "POST",
        path: "/form",
        options: { payload: { allow: "application/x-www-form-urlencoded" } },
        handler: ({ payload, state }) => ({ payload, state }),
      },
      { method: "GET", path: "/caller", handler: ({ headers }) => ({ caller: headers["x-caller"] ?? null }) },
      { method: "GET", path: "/status", options: { auth: false }, handler: () => ({ status: "up" }) },
      { method: "*", path: "/any", handler: () => ({ reached: "any" }) },
      { method: "GET", path: "/doors/open", options: { auth: false }, handler: () => ({ door: "open" }) },
      { method: "GET", path: "/doors/{name}", handler: ({ params }) => ({ door: params["name"] }) },
      { method: "GET", path: "/rooms/vault", handler: () => ({ room: "vault" }) },
      {
        method: "GET",
        path: "/rooms/{room}",
        options: { auth: false },
        handler: ({ params }) => ({ room: params["room"] }),
      },
      { method: "GET", path: "/halls/{path*}", options: { auth: false }, handler: () => ({ hall: true }) },
      { method: "GET", path: "/lobby/a", options: { auth: false }, handler: () => ({ lobby: true }) },
      { method: "GET", path: "/limited", handler: () => (++count > 2 ? tooManyRequests() : {}) },
      {
        method: "GET",
        path: "/inside",
        handler: async ({ server }) => {
          const { statusCode, result } = await server.inject({ method: "POST", url: "/notes", payload: { text: "hi" } });
          return statusCode === 201 ? (result as object) : badImplementation();
        },
      },
    ]);
  },
};
`,
  },
  edits: {
    "src/app.ts": [
      [
        "  await server.register({ plugin: routes,",
        "  await server.register(extras);\n  await server.register({ plugin: routes,",
      ],
      [
        'import Hapi from "@hapi/hapi";',
        'import Hapi from "@hapi/hapi";\nimport { extras } from "./extras/routes.ts";',
      ],
    ],
  },
};
