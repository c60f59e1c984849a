import { createMiddleware } from "hono/factory";
import type { Conditions } from "../../../conditions.ts";
import { type ChangeHeaders, type ConditionHeaders, readConditions } from "../../../resource.ts";
import { nodeRequest } from "../connect.ts";

type Variables = { conditions: Conditions };

/** Reads the conditions of a request for one item from its headers; then `c.var.conditions` has them. */
export const conditions = createMiddleware<{ Variables: Variables }, string, { in: { header?: ConditionHeaders } }>(
  async (c, next) => {
    c.set("conditions", readConditions(nodeRequest(c)));
    await next();
  },
);

/** The same for a change: a typed client must send `If-Match`. */
export const ifMatch = createMiddleware<{ Variables: Variables }, string, { in: { header: ChangeHeaders } }>(
  (c, next) => conditions(c, next),
);
