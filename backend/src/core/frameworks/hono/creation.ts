import { createMiddleware } from "hono/factory";
import { type Creation, type CreationHeaders, readCreation } from "../../resource.ts";
import { nodeRequest } from "./body.ts";

type Headers = { in: { header?: CreationHeaders }; out: Record<never, never> };

/** Reads the options of a creation from its headers; then `c.var.creation` has them. */
export const creation = createMiddleware<{ Variables: { creation: Creation } }, string, Headers>((c, next) => {
  c.set("creation", readCreation(nodeRequest(c)));
  return next();
});
