import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { readConditions } from "../../../resource.ts";

/** The conditions of a request for one item: `@ConditionHeaders() conditions: Conditions`. */
export const ConditionHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readConditions(context.switchToHttp().getRequest()),
);
