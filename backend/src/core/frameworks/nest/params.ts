import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { readCreation, readPage } from "../../input.ts";

/** @deprecated For resources of 0.1.0. Write `@Query({ schema: PageQuery }) page: Page`. */
export const PageQuery = createParamDecorator((_data, context: ExecutionContext) =>
  readPage(context.switchToHttp().getRequest()),
);

/** The options of a creation, from its headers: `@CreationHeaders() creation: Creation`. */
export const CreationHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readCreation(context.switchToHttp().getRequest()),
);
