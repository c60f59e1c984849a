export const guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { Elysia, status } from "elysia";
import * as v from "valibot";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

/** \`/hello\` */
export const helloRoutes = new Elysia({ prefix: "/hello" })
  .get("/:name", ({ params }) => ({ hello: params.name }))
  .post("/", ({ body }) => status(201, { text: body.text }), { body: Greeting, parse: "json" });
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.use(helloRoutes);
`,
  },
  raw:
    "`readBody(nodeRequest(request))` returns the raw bytes of a body of any type, in a route that does not use `body`. After " +
    "`.use(bodyLimit)` (from `src/request.ts`), a route with `{ bodyLimit: 5_000_000 }` in its options allows a larger body.",
  isPublic:
    "After `.use(publicRoutes)` (from `src/public.ts`), a route with `{ isPublic: true }` in its options needs no token.",
};
