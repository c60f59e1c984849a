import type { Guide } from "./guide.ts";

export const guide: Guide = {
  route: {
    file: "src/hello/routes.ts",
    code: `import { Router } from "express";
import * as v from "valibot";
import { valid } from "../body.ts";

const Greeting = v.strictObject({ text: v.pipe(v.string(), v.maxLength(100)) });

export const helloRoutes = Router();

helloRoutes.get("/:name", (req, res) => {
  res.json({ hello: req.params.name });
});

helloRoutes.post("/", valid(Greeting), (req, res) => {
  const { text } = req.body;
  res.status(201).json({ text });
});
`,
    mount: `import { helloRoutes } from "./hello/routes.ts";

  app.use("/hello", helloRoutes);
`,
  },
  raw: "`await readBody(req)` of `src/http/body.ts` returns the bytes of any body. `bodyLimit(5_000_000)` of the same file, before the handler, sets another limit for a route. `express.json()` is not needed: `req.body` is the JSON that was sent.",
  isPublic: "`isPublic` of `src/public.ts`, before the handler, makes a route public: it needs no token.",
};
