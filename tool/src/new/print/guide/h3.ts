import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { getRouterParam, H3, HTTPError, readValidatedBody } from "h3";
import * as v from "valibot";
import { jsonOnly, refuse } from "../core/h3/connect.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = new H3();

helloRoutes.get("/:name", (event) => {
  const name = getRouterParam(event, "name", { decode: true });
  if (name === "nobody") throw new HTTPError({ status: 404, message: "Nobody has this name." });
  return { hello: name };
});

helloRoutes.post(
  "/",
  async (event) => {
    const { text } = await readValidatedBody(event, Greeting, { onError: refuse });
    event.res.status = 201;
    return { text };
  },
  { middleware: [jsonOnly], meta: { body: Greeting, answers: { 201: Greeting } } },
);
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.mount("/hello", helloRoutes);
`,
  },
  everywhere: {
    code: `  app.use((event) => {
    event.res.headers.set("X-Boat", "dory");
    // With a failure, h3 sends only these.
    event.res.errHeaders.set("X-Boat", "dory");
  });
`,
    above: 'app.get("/health", async () => {',
  },
  raw: [
    "`getValidatedQuery(event, Filter, { onError: refuseQuery })` answers a wrong query with a 400 that names the parameter.",
    "`await event.req.bytes()` returns the bytes of any body.",
    "`{ meta: { bodyLimit: 5_000_000 } }` after the handler sets another limit for a route, and `handlerTimeout: 60_000` there another time until it begins to answer.",
  ],
  declares:
    "`meta: { body: …, answers: { 201: … } }`, because a schema that a handler passes to `readValidatedBody` is not seen, or the `validate` of `defineValidatedHandler`, which is experimental in h3 (resources need neither)",
  isPublic: "`{ meta: { isPublic: true } }` after the handler makes a route public: it needs no token.",
  caller: "`event.context.caller`",
  sockets: `\`crossws\` (\`npm install crossws\`), in \`src/app.ts\` before \`return\`:

\`\`\`ts
import { getWebSocketHooks } from "crossws";
import crossws from "crossws/adapters/node";
import { defineWebSocketHandler } from "h3";

  app.get("/chat", defineWebSocketHandler({ message: (peer, message) => void peer.send(\`You said \${message}\`) }));
  const resolve = async (request: Request) => {
    const answer = await app.fetch(request);
    // At other paths, the app refuses with its own answer.
    return getWebSocketHooks(request) ?? { upgrade: () => answer };
  };
  parts.server.on("upgrade", crossws({ resolve }).handleUpgrade);
\`\`\`
`,
  inTests: "`app.request(…)`, which cannot run middleware of Node (`fromNodeHandler`): that needs a server",
};
