import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { getRouterParam, H3, readValidatedBody } from "h3";
import * as v from "valibot";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = new H3();

helloRoutes.get("/:name", (event) => ({ hello: getRouterParam(event, "name", { decode: true }) }));

helloRoutes.post("/", async (event) => {
  const { text } = await readValidatedBody(event, Greeting);
  event.res.status = 201;
  return { text };
});
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.mount("/hello", helloRoutes);
`,
  },
  raw: "`await event.req.bytes()` returns the bytes of any body. `{ meta: { bodyLimit: 5_000_000 } }` after the handler sets another limit for a route.",
  isPublic: "`{ meta: { isPublic: true } }` after the handler makes a route public: it needs no token.",
};
