export const guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import * as v from "valibot";
import type { FastifyPluginAsyncStandard } from "../core/fastify/schema.ts";
import { Problem } from "../core/problem.ts";

const Name = v.object({ name: v.string() });
const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

/** \`/hello\` */
export const helloRoutes: FastifyPluginAsyncStandard = async (app) => {
  app.get("/:name", { schema: { params: Name } }, async (request) => {
    const { name } = request.params;
    if (name === "nobody") throw new Problem("not_found", "Nobody has this name.");
    return { hello: name };
  });

  app.post("", { schema: { body: Greeting, response: { 201: Greeting } } }, async (request, reply) => {
    reply.code(201);
    return { text: request.body.text };
  });
};
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.register(helloRoutes, { prefix: "/hello" });
`,
  },
  everywhere: {
    code: `  app.addHook("onSend", async (_request, reply) => {
    reply.header("X-Boat", "dory");
  });
`,
    above: "app.register(routes, { parts });",
  },
  raw: [
    "A plugin that needs the store or your settings gets the parts as an option, like those in `src/routes.ts`. `request.log` and `app.log` write to the log.",
    "More options of Fastify stand beside those of the server: `Fastify({ ...serverOptions(parts), ajv: { … } })`.",
    'A plugin that reads raw bytes of any type first calls `app.removeAllContentTypeParsers()`, then `app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))`; `request.body` is a `Buffer` in its routes.',
    "`{ bodyLimit: 5_000_000 }` in the options of a route allows a larger body, `handlerTimeout: 60_000` there more time until it begins to answer.",
  ],
  declares: "the `schema` of a route: `params`, `querystring`, `headers`, `body` and `response`",
  isPublic: "A route with `{ config: { isPublic: true } }` in its options needs no token.",
  caller: "`request.caller`",
  sockets: "`@fastify/websocket`, as its README says; `app.server` is `parts.server`.",
  inTests: "`app.inject(…)`",
};
