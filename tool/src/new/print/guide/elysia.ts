export const guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { Elysia, status } from "elysia";
import * as v from "valibot";
import { onlyJson } from "../core/elysia/request.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

/** \`/hello\` */
export const helloRoutes = new Elysia({ prefix: "/hello" })
  .get("/:name", ({ params: { name } }) => {
    if (name === "nobody") return status(404, "Nobody has this name.");
    return { hello: name };
  })
  .post("/", ({ body }) => status(201, { text: body.text }), {
    body: Greeting,
    parse: onlyJson,
    response: { 201: Greeting },
  });
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

      .use(helloRoutes)
`,
  },
  everywhere: {
    code: `      .onRequest(({ set }) => {
        set.headers["x-boat"] = "dory";
      })
`,
    above: '.get("/health", async () => {',
  },
  raw: [
    '`parse: onlyJson` (from `src/core/elysia/request.ts`) refuses a body of another type than JSON, which `parse: "json"` reads as JSON. With `parse: "arrayBuffer"`, `body` is the raw bytes of a body of any type.',
    "After `.use(bodyLimit)` (from `src/core/elysia/request.ts`), a route with `{ bodyLimit: 5_000_000 }` in its options allows a larger body; `.use(handlerTimeout)` and `{ handlerTimeout: 60_000 }` give more time until it begins to answer.",
    "Your own `.onError(…)` comes before the one that makes problems of errors.",
    `Eden's \`treaty<App>(…)\` makes a \`Date\` of texts that look like one, and its types say \`string\`: write \`treaty<App>(url, { parseDate: false })\`.`,
  ],
  declares: "the options of a route: `params`, `query`, `headers`, `body` and `response`",
  isPublic:
    "After `.use(publicRoutes)` (from `src/core/elysia/public.ts`), a route with `{ isPublic: true }` in its options needs no token.",
  caller: "`caller`, after `.use(caller)` (from `src/core/elysia/public.ts`)",
  sockets:
    'install the package @elysiajs/node (its newer name is @elysia/node). Then use `.ws()` of the app itself, and in `src/app.ts` `adapter: node(elysiaNode())`, after `import { node as elysiaNode } from "@elysiajs/node";`. Plugins that use it need the same object as their adapter.',
  inTests: "`app.handle(new Request(…))`, or Eden's `treaty(app)`",
};
