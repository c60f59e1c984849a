import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import Router from "@koa/router";
import * as v from "valibot";
import { answers } from "../core/http/routes.ts";
import { valid } from "../core/koa/connect.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = new Router({ prefix: "/hello" });

helloRoutes.get("/:name", (ctx) => {
  const { name } = ctx.params;
  if (name === "nobody") ctx.throw(404, "Nobody has this name.");
  ctx.body = { hello: name };
});

helloRoutes.post("/", valid(Greeting), answers({ 201: Greeting }), (ctx) => {
  const { text } = ctx.request.body;
  ctx.status = 201;
  ctx.body = { text };
});
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.use(helloRoutes.routes());
`,
  },
  everywhere: {
    code: `  app.use(async (ctx, next) => {
    await next();
    ctx.set("X-Boat", "dory");
  });
`,
    above: "app.use(sendProblems);",
  },
  raw: [
    "`await readBody(ctx.req)` from `src/core/http/request.ts` returns the bytes of any body.",
    '`await validate(Filter, ctx.query, "query")` from `src/core/problem.ts` answers a wrong query with a 400 that names the parameter.',
    "`bodyLimit(5_000_000)` from `src/core/http/routes.ts`, before the handler, sets another limit for a route, and `handlerTimeout(60_000)` another time until it begins to answer.",
    "Paths are exact, also in a plain `new Router()`. `new Router({ sensitive: false })` makes `/HELLO` the same path as `/hello`.",
    "`ctx.request.body` is the JSON that was sent; parsers of other content types, like `bodyParser()` of `@koa/bodyparser` for forms, belong below `app.use(jsonBody)`.",
    "Errors of packages that have no status, like those of `@koa/multer`, are a 500, as on plain Koa, unless a middleware before it sets one: `await next().catch((error) => ctx.throw(400, error));`.",
    'What `app.on("close", …)` adds runs at shutdown.',
  ],
  declares: "`valid(…)` and `answers({ 201: … })`",
  isPublic: "`isPublic` from `src/core/koa/public.ts`, before the handler, makes a route public: it needs no token.",
  caller: "`ctx.state.caller`",
  sockets:
    '`new WebSocketServer({ server: parts.server, path: "/chat" })` of `ws`, `new Server(parts.server)` of `socket.io`, or, with `koa-websocket`, `app.ws.listen({ server: parts.server })`.',
  inTests: "`request(app.callback())` of supertest",
};
