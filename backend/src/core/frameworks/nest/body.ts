import { type ArgumentMetadata, BadRequestException, StandardSchemaValidationPipe } from "@nestjs/common";
import express, { type RequestHandler } from "express";
import { isMounted } from "../../http/express.ts";
import { type HttpRequest, hasJson, readInto } from "../../http/request.ts";
import { isForRoute, type Route, selectRoutes } from "../../http/routes.ts";
import { invalidInput, validate } from "../../problem.ts";
import type { CoreParts } from "../../start.ts";
import { declare } from "./decorators.ts";

/** `@Body()` is the JSON that was sent to a route, or to middleware like that of GraphQL. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  if (isForRoute(req) || isMounted(req.app.router, req.path)) await readInto(req, req);
  if (req.body && !hasJson(req)) otherBodies.add(req.body);
  next();
};

/** `@Body()` is also the form that was sent, as always in Nest, except for routes that accept JSON only. */
export const formBody: RequestHandler = (req, res, next) => {
  const { match, method = "" } = req as unknown as HttpRequest;
  const accepts = !match || selectRoutes(match, method).some(acceptsForms) || isMounted(req.app.router, req.path);
  if (accepts) parseForm(req, res, next);
  else next();
};

/** The server limits the size. */
const parseForm = express.urlencoded({ extended: true, limit: Number.POSITIVE_INFINITY });

/** A schema accepts JSON only: `@Body({ schema: NewItem })`. */
function acceptsForms({ definition, isUnread }: Route): boolean {
  if (isUnread) return false;
  if (!definition) return true;
  const { controller, method } = definition as { controller: object; method: string };
  const parameters: Record<string, { schema?: unknown }> =
    Reflect.getMetadata("__routeArguments__", controller, method) ?? {};
  return Object.entries(parameters).every(([key, { schema }]) => !schema || !key.startsWith("3:"));
}

/** What other middleware has read, like forms. A schema accepts JSON only. */
const otherBodies = new WeakSet<object>();

export const bodyLimitKey = "bodyLimit";
export const handlerTimeoutKey = "handlerTimeout";
export const unreadKey = "isUnread";

/** Sets a larger or smaller body limit for a route or a controller: `@BodyLimit(5_000_000) @Post("import") …`. */
export const BodyLimit = (bytes: number | ((parts: CoreParts) => number)) => declare(bodyLimitKey, bytes);

/** Lets the handler of a route or a controller take more or less time: `@HandlerTimeout(60_000) @Get("report") …`. */
export const HandlerTimeout = (milliseconds: number) => declare(handlerTimeoutKey, milliseconds);

/** Leaves the body of a route to its handler, to read its bytes: `@UnreadBody() @Post("hook") …`. */
export const UnreadBody = () => declare(unreadKey, true);

/** There is no JSON in a body that a schema validates. */
export class MissingJson extends Error {}

/**
 * Validates a parameter with its schema: `@Body({ schema: NewItem })`. An invalid body is a 422, the query of a list
 * names its parameter. The rest is as always in Nest, but no field is removed first: a schema decides what is unknown.
 */
export class SchemaPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({
      exceptionFactory: (issues) => {
        const problem = invalidInput(issues);
        return problem.status === 400 ? problem : new BadRequestException(this.formatIssueMessages(issues));
      },
    });
  }

  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    const { type, schema, data } = metadata;
    if (type !== "body" || !schema) return super.transform(value, metadata);
    // `@Body("name", …)` is one field, which may be missing in JSON.
    const isMissing = value === undefined && data === undefined;
    if (isMissing || otherBodies.has(value as object)) throw new MissingJson();
    return (await validate(schema, value)) as T;
  }

  protected override stripProtoKeys(): void {}
}
