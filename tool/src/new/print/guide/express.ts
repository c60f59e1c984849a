import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { Router } from "express";
import * as v from "valibot";
import { valid } from "../core/express/connect.ts";
import { answers } from "../core/http/routes.ts";
import { Problem } from "../core/problem.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = Router();

helloRoutes.get("/:name", (req, res) => {
  const { name } = req.params;
  if (name === "nobody") throw new Problem("not_found", "Nobody has this name.");
  res.json({ hello: name });
});

helloRoutes.post("/", valid(Greeting), answers({ 201: Greeting }), (req, res) => {
  const { text } = req.body;
  res.status(201).json({ text });
});
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  // Above app.use(sendProblem).
  app.use("/hello", helloRoutes);
`,
  },
  everywhere: {
    code: `  app.use((_req, res, next) => {
    res.set("X-Boat", "dory");
    next();
  });
`,
    above: "app.use(jsonBody);",
  },
  raw: [
    "`await readBody(req)` from `src/core/http/request.ts` returns the bytes of any body; `express.json()` is not needed at routes: `req.body` is the JSON that was sent. What `app.use` mounts reads its body itself.",
    '`await validate(Filter, req.query, "query")` from `src/core/problem.ts` answers a wrong query with a 400 that names the parameter.',
    "`bodyLimit(5_000_000)` from `src/core/http/routes.ts`, before the handler, sets another limit for a route, and `handlerTimeout(60_000)` another time until it begins to answer.",
    "Paths are exact, also in a plain `Router()`. `Router({ caseSensitive: false })` makes `/HELLO` the same path as `/hello`.",
    "Errors of packages that have no status, like those of `multer`, are a 500, as on plain Express, unless an error handler above `sendProblem` sets one: `next(Object.assign(error, { status: 400 }))`.",
  ],
  declares: "`valid(…)` and `answers({ 201: … })`",
  isPublic:
    "`isPublic` from `src/core/express/public.ts`, before the handler, makes a route public: it needs no token.",
  caller: "`res.locals.caller`",
  sockets:
    '`new WebSocketServer({ server: parts.server, path: "/chat" })` of `ws`, `new Server(parts.server)` of `socket.io`, or, with `express-ws`, `expressWs(app, parts.server)`.',
  inTests: "`request(app)` of supertest, to which Express itself answers where there is no route",
};
