import { createMiddleware } from "hono/factory";
import type { Conditions } from "../../../conditions.ts";
import { readConditions } from "../../../resource.ts";
import { nodeRequest } from "../body.ts";

/** Reads the conditions of a request for one item; then `c.var.conditions` has them. */
export const conditions = createMiddleware<{ Variables: { conditions: Conditions } }>((c, next) => {
  c.set("conditions", readConditions(nodeRequest(c)));
  return next();
});
