import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { readCreation, readPage } from "../../input.ts";

/** Which page a listing asks for: `@PageQuery() page: Page`. */
export const PageQuery = createParamDecorator((_data, context: ExecutionContext) =>
  readPage(context.switchToHttp().getRequest()),
);

/** How a creation is asked for, beside its body: `@CreationHeaders() creation: Creation`. */
export const CreationHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readCreation(context.switchToHttp().getRequest()),
);
