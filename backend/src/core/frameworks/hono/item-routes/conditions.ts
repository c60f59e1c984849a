import { createMiddleware } from "hono/factory";
import type { Conditions } from "../../../conditions.ts";
import { type ConditionHeaders, readConditions } from "../../../resource.ts";
import { nodeRequest } from "../connect.ts";

/** Reads the conditions of a request for one item from its headers; then `c.var.conditions` has them. */
export const conditions = createMiddleware<
  { Variables: { conditions: Conditions } },
  string,
  { in: { header?: ConditionHeaders } }
>((c, next) => {
  c.set("conditions", readConditions(nodeRequest(c)));
  return next();
});
