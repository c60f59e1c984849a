import { Elysia } from "elysia";
import { ChangeHeaders, ConditionHeaders, readConditions } from "../../../resource.ts";
import { nodeRequest } from "../request.ts";

const resolve = ({ request }: { request: Request }) => ({ conditions: readConditions(nodeRequest(request)) });

/**
 * Gives handlers the conditions of a request: `app.use(conditions).get("/:id", …, { conditions: true })`. For a change,
 * it is `{ ifMatch: true }`: a typed client must send `If-Match`.
 */
export const conditions = new Elysia({ name: "conditions" })
  .macro("conditions", { headers: ConditionHeaders, resolve })
  .macro("ifMatch", { headers: ChangeHeaders, resolve });
