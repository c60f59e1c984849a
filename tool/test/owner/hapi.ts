import type { Extension } from "./extension.ts";

export const extension: Extension = {
  files: {
    "src/extras/routes.ts": `import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
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
      { method: "POST", path: "/twice", handler: ({ raw }) => text(raw.req) },
      {
        method: "POST",
        path: "/form",
        options: { payload: { allow: "application/x-www-form-urlencoded" } },
        handler: ({ payload, state }) => ({ payload, state }),
      },
      { method: "GET", path: "/status", options: { auth: false }, handler: () => ({ status: "up" }) },
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
        "  await server.register({ plugin: itemRoutes,",
        "  await server.register(extras);\n  await server.register({ plugin: itemRoutes,",
      ],
      [
        'import Hapi from "@hapi/hapi";',
        'import Hapi from "@hapi/hapi";\nimport { extras } from "./extras/routes.ts";',
      ],
    ],
  },
};
