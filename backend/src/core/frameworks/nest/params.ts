import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { readCreation } from "../../input.ts";

/** The options of a creation, from its headers: `@CreationHeaders() creation: Creation`. */
export const CreationHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readCreation(context.switchToHttp().getRequest()),
);
