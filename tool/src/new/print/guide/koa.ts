import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import Router from "@koa/router";
import * as v from "valibot";
import { valid } from "../body.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = new Router({ prefix: "/hello", sensitive: true });

helloRoutes.get("/:name", (ctx) => {
  ctx.body = { hello: ctx.params["name"] };
});

helloRoutes.post("/", valid(Greeting), (ctx) => {
  const { text } = ctx.request.body;
  ctx.status = 201;
  ctx.body = { text };
});
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.use(helloRoutes.routes());
`,
  },
  raw: '`await readBody(ctx.req)` of `src/http/body.ts` returns the bytes of any body. `bodyLimit(5_000_000)` of the same file, before the handler, sets another limit for a route. `ctx.request.body` is the JSON that was sent; parsers of other content types, like `bodyParser()` of `@koa/bodyparser` for forms, belong above `app.use(jsonBody)`. What `app.on("close", …)` adds runs at shutdown.',
  isPublic: "`isPublic` of `src/public.ts`, before the handler, makes a route public: it needs no token.",
};
