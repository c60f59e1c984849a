import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import type { Plugin } from "@hapi/hapi";
import * as v from "valibot";
import { valid } from "../core/hapi/connect.ts";
import { Problem } from "../core/problem.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });
type Greeting = v.InferOutput<typeof Greeting>;

export const helloRoutes: Plugin<void> = {
  name: "hello",
  register(server) {
    server.route<{ Params: { name: string } }>({
      method: "GET",
      path: "/{name}",
      handler: ({ params: { name } }) => {
        if (name === "nobody") throw new Problem("not_found", "Nobody has this name.");
        return { hello: name };
      },
    });

    server.route<{ Payload: Greeting }>({
      method: "POST",
      path: "/",
      options: { validate: { payload: valid(Greeting) }, response: { status: { 201: valid(Greeting) } } },
      handler: ({ payload }, h) => h.response({ text: payload.text }).code(201),
    });
  },
};
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  // Above server.ext("onPreResponse", …).
  await server.register({ plugin: helloRoutes, routes: { prefix: "/hello" } });
`,
  },
  everywhere: {
    code: `  server.ext("onPreResponse", ({ response }, h) => {
    // A failure is an answer here, too, and no Boom error any more.
    if (!("isBoom" in response)) response.header("X-Boat", "dory");
    return h.continue;
  });
`,
    above: "return server;",
  },
  raw: [
    "`options: { payload: { parse: false } }` makes `request.payload` the bytes of any body, `payload: { maxBytes: 5_000_000 }` sets another limit for a route, and `timeout: { server: 60_000 }` another time until it begins to answer.",
    'hapi reads forms as usual, except where `valid(…)` validates the payload: there they need `payload: { allow: "application/x-www-form-urlencoded" }`. Files need `payload: { multipart: true }`.',
    "hapi itself sets `no-cache` on answers of routes without `cache` in their options; with `cache: false` it leaves that to the server.",
    "Options of your own for all routes join those that set the limits: `const options = serverOptions(parts)`, then `Hapi.server({ ...options, routes: { ...options.routes, security: true } })`.",
    "A plugin that uses the store is a `Plugin<Parts>`, whose `register(server, { store })` gets what `server.register({ plugin, options: parts })` passes. Extensions at `onPreStart` and `onPostStart` run before the store is open: use `store.onOpen`.",
  ],
  declares: "`validate` and `response` in the options of a route: joi (18 or later), or any schema in `valid(…)`",
  isPublic:
    "`options: { auth: false }` makes a route public: it needs no token. Tokens are hapi's strategy `token`, its default. If you set another default, requests need a token as well; a strategy that reads `Authorization` itself does not work here. In tests, `server.inject(…)` needs `auth` in its options for routes that are not public, once `await server.initialize()` has run; a client of `@hapi/nes` sends a token in `client.connect({ auth: { headers } })`.",
  caller: "`request.auth.credentials.app?.name`",
  sockets: "`@hapi/nes`, as its documentation says; `server.listener` is `parts.server`.",
  inTests: "`server.inject(…)`",
};
