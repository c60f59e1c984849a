import type { Request } from "@hapi/hapi";
import { readConditions } from "../../../resource.ts";

/** A prerequisite of routes for one item: handlers find the conditions of a request in `request.pre.conditions`. */
export const conditions = {
  assign: "conditions" as const,
  method: ({ raw }: Pick<Request, "raw">) => readConditions(raw.req),
};
