import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { Hono } from "hono";
import * as v from "valibot";
import { valid } from "../body.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = new Hono();

helloRoutes.get("/:name", (c) => c.json({ hello: c.req.param("name") }));

helloRoutes.post("/", valid(Greeting), (c) => {
  const { text } = c.req.valid("json");
  return c.json({ text }, 201);
});
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.route("/hello", helloRoutes);
`,
  },
  raw: "`await c.req.arrayBuffer()` returns the bytes of any body. `bodyLimit(5_000_000)` of `src/http/body.ts`, before the handler, sets another limit for a route.",
  isPublic: "`isPublic` of `src/public.ts`, before the handler, makes a route public: it needs no token.",
};
