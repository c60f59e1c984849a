import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { findCaller } from "../../features/auth/auth.ts";
import { declare } from "./request.ts";

export { guardRouter } from "../../features/auth/express.ts";

export const publicKey = Symbol("public");

/** Declares a route or a controller public: `@Public() @Get("status") …` needs no token. */
export const Public = () => declare(publicKey, true);

/** The name of the token that a request came with: `@Get("me") me(@Caller() caller: string | undefined) {…}`. */
export const Caller = createParamDecorator((_data, context: ExecutionContext) =>
  findCaller(context.switchToHttp().getRequest()),
);
