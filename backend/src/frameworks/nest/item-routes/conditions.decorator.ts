import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { readConditions } from "../../../input.ts";

/** On which conditions one item is asked for: `@ConditionHeaders() conditions: Conditions`. */
export const ConditionHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readConditions(context.switchToHttp().getRequest()),
);
