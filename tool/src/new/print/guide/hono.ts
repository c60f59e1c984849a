import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import * as v from "valibot";
import { sValidator } from "../core/hono/connect.ts";
import { answers } from "../core/http/routes.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = new Hono()
  .get("/:name", (c) => {
    const name = c.req.param("name");
    if (name === "nobody") throw new HTTPException(404, { message: "Nobody has this name." });
    return c.json({ hello: name });
  })
  .post("/", sValidator("json", Greeting), answers({ 201: Greeting }), (c) => {
    const { text } = c.req.valid("json");
    return c.json({ text }, 201);
  });
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

      .route("/hello", helloRoutes)
`,
  },
  everywhere: {
    code: `  app.use(async (c, next) => {
    await next();
    c.header("X-Boat", "dory");
  });
`,
    above: "return (",
  },
  raw: [
    "`await c.req.arrayBuffer()` returns the bytes of any body.",
    `\`bodyLimit(5_000_000)\` from \`src/core/http/routes.ts\`, before the handler, sets another limit for a route, and \`handlerTimeout(60_000)\` another time until it begins to answer. Hono's own \`bodyLimit\` (\`hono/body-limit\`) can only lower the limit.`,
  ],
  declares: '`sValidator("json", …)`, validators of packages like `zValidator`, and `answers({ 201: … })`',
  isPublic: "`isPublic` from `src/core/hono/public.ts`, before the handler, makes a route public: it needs no token.",
  caller: "`c.var.caller`",
  sockets: `\`ws\` (\`npm install ws\`, \`npm install --save-dev @types/ws\`), in \`src/app.ts\` before \`return\`:

\`\`\`ts
import { createAdaptorServer, upgradeWebSocket, type WebSocketServerLike } from "@hono/node-server";
import { WebSocketServer } from "ws";

  app.get("/chat", upgradeWebSocket(() => ({ onMessage: ({ data }, socket) => socket.send(\`You said \${data}\`) })));
  const server = new WebSocketServer({ noServer: true }) as WebSocketServerLike;
  createAdaptorServer({ fetch: app.fetch, createServer: () => parts.server, websocket: { server } });
\`\`\`
`,
  inTests: "`app.request(…)`, or `testClient(app)`",
};
