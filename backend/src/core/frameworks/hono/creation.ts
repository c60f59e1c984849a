import { createMiddleware } from "hono/factory";
import { type Creation, readCreation } from "../../resource.ts";
import { nodeRequest } from "./body.ts";

/** Reads the options of a creation from its headers; then `c.var.creation` has them. */
export const creation = createMiddleware<{ Variables: { creation: Creation } }>((c, next) => {
  c.set("creation", readCreation(nodeRequest(c)));
  return next();
});
