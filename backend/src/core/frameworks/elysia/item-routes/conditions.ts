import { Elysia } from "elysia";
import { ConditionHeaders, readConditions } from "../../../resource.ts";
import { nodeRequest } from "../request.ts";

/** Gives handlers the conditions of a request: `app.use(conditions).get("/:id", …, { conditions: true })`. */
export const conditions = new Elysia({ name: "conditions" }).macro("conditions", {
  headers: ConditionHeaders,
  resolve: ({ request }) => ({ conditions: readConditions(nodeRequest(request)) }),
});
