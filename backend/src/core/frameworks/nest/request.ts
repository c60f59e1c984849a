import {
  type ArgumentMetadata,
  BadRequestException,
  createParamDecorator,
  type ExecutionContext,
  StandardSchemaValidationPipe,
} from "@nestjs/common";
import { MetadataScanner, type ModulesContainer } from "@nestjs/core";
import express, { type Request, type RequestHandler } from "express";
import { type Handler, isMounted } from "../../http/express.ts";
import { type HttpRequest, hasJson, readInto, readJson, takeJson } from "../../http/request.ts";
import { handling } from "../../http/response.ts";
import { isForRoute, isValidated, type Route, selectRoutes } from "../../http/routes.ts";
import { invalidInput, notJson, Problem, validate } from "../../problem.ts";
import { decidesNames, readCreation } from "../../resource.ts";
import type { CoreParts } from "../../start.ts";

/** The options of a creation, from its headers: `@CreationHeaders() creation: Creation`. */
export const CreationHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readCreation(context.switchToHttp().getRequest()),
);

/** Sets a larger or smaller body limit for a route or a controller: `@BodyLimit(5_000_000) @Post("import") …`. */
export const BodyLimit = (bytes: number | ((parts: CoreParts) => number)) => declare(bodyLimitKey, bytes);

/** Lets the handler of a route or a controller take more or less time: `@HandlerTimeout(60_000) @Get("report") …`. */
export const HandlerTimeout = (milliseconds: number) => declare(handlerTimeoutKey, milliseconds);

/** Leaves the body of a route to its handler, to read its bytes: `@UnreadBody() @Post("hook") …`. */
export const UnreadBody = () => declare(unreadKey, true);

/** `@Body()` is the JSON that was sent to a route, or to middleware like that of GraphQL; or what other middleware has made of it. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  if (req.body !== undefined) changedBodies.add(Object(req.body));
  else if (isForRoute(isRewritten(req) ? { method: req.method } : req) || isMounted(req.app.router, req.path))
    await readInto(req, req, isValidated(req));
  markOther(req);
  next();
};

/** `@Body()` is also the form that was sent, as always in Nest, except for routes that accept JSON only. */
export const formBody: RequestHandler = (req, res, next) => {
  const { match, method = "" } = req as unknown as HttpRequest;
  const isForForms = !match || isRewritten(req) || selectRoutes(match, method).some(acceptsForms);
  if (!isForForms && !isMounted(req.app.router, req.path)) {
    next();
    return;
  }
  parseForm(req, res, (error) => {
    markOther(req);
    next(error);
  });
};

/** Whether middleware has changed the path. The routes that a request knows are those at the path that was sent. */
const isRewritten = ({ url, originalUrl }: Request) => url !== originalUrl;

/** The server limits the size. */
const parseForm = express.urlencoded({ extended: true, limit: Number.POSITIVE_INFINITY });

/** A schema accepts JSON only: `@Body({ schema: NewItem })`. */
const acceptsForms = (route: Route) => !route.isUnread && !hasSchema(route);

/** Whether a schema validates the body, or a member of it. */
export function hasSchema({ definition }: Route): boolean {
  if (!definition) return false;
  const { controller, method } = definition as { controller: object; method: string };
  const parameters: Record<string, { schema?: unknown }> =
    Reflect.getMetadata("__routeArguments__", controller, method) ?? {};
  return Object.entries(parameters).some(([key, { schema }]) => schema && key.startsWith("3:"));
}

/** What other middleware has set. A resource takes what was sent. */
const changedBodies = new WeakSet<object>();

/** What was read from another media type, like forms. A schema accepts JSON only. */
const otherBodies = new WeakSet<object>();

function markOther(req: Request): void {
  if (typeof req.body === "object" && req.body !== null && !hasJson(req)) otherBodies.add(req.body);
}

/** There is no JSON in a body that a schema validates. Where a pipe does not know the request, the filter finds out why. */
export class MissingJson extends Problem {
  constructor() {
    super("unsupported_media_type", notJson().message);
  }
}

/**
 * Validates a parameter with its schema: `@Body({ schema: NewItem })`. An invalid body is a 422, the query of a list
 * names its parameter. The rest is as always in Nest, but for a resource no field is removed first: it decides what is unknown.
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
    if (schema && !decidesNames(schema) && this.toValidate(metadata)) super.stripProtoKeys(value);
    if (type !== "body" || !schema) return super.transform(value, metadata);
    // `@Body("name", …)` is one field, which may be missing in JSON.
    const isMissing = value === undefined && data === undefined;
    const { req } = handling.getStore() ?? {};
    if (isMissing || otherBodies.has(value as object)) {
      if (req) takeJson(req, undefined);
      throw new MissingJson();
    }
    if (req && data === undefined) takeJson(req, value);
    const isChanged = req && decidesNames(schema) && changedBodies.has(value as object);
    return (await validate(schema, isChanged ? await readJson(req) : value)) as T;
  }

  /** `transform` has done it. */
  protected override stripProtoKeys(): void {}
}

export const bodyLimitKey = Symbol("bodyLimit");
export const handlerTimeoutKey = Symbol("handlerTimeout");
export const unreadKey = Symbol("unread");

/**
 * Sets metadata of a route, or of all routes of a controller. Nest passes only that of methods to the router. A key is a
 * symbol: a decorator of an owner may have the same name, but not the same meaning.
 */
export function declare(key: symbol, value: unknown): ClassDecorator & MethodDecorator {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor) => {
    const handlers = method ? [method.value] : listOwnHandlers((target as Controller).prototype);
    for (const handler of handlers) if (!Reflect.hasMetadata(key, handler)) Reflect.defineMetadata(key, value, handler);
  };
}

type Controller = { name: string; prototype: object };
type Origin = { controller: Controller; method: string };

/** The routes of a controller. It gets its own copy of an inherited one, which other controllers may inherit, too. */
function listOwnHandlers(prototype: object): Handler[] {
  const names = new MetadataScanner().getAllMethodNames(prototype);
  const routes = names.filter((name) => Reflect.hasMetadata("path", Reflect.get(prototype, name)));
  return routes.map((name) => {
    const handler = Reflect.get(prototype, name);
    if (Object.hasOwn(prototype, name)) return handler;
    const own = copyMethod(handler);
    Object.defineProperty(prototype, name, { value: own, writable: true, configurable: true });
    return own;
  });
}

function copyMethod(method: Handler): Handler {
  function copy(this: unknown, ...args: never[]) {
    return method.apply(this, args);
  }
  for (const key of Reflect.getMetadataKeys(method))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), copy);
  return copy;
}

const originKey = Symbol("origin");

/** Before Nest makes handlers of them: each method of a controller says whose it is. Two controllers may have one name. */
export function nameOrigins(modules: ModulesContainer): void {
  for (const { metatype } of listControllers(modules)) {
    const controller = metatype as Controller;
    const { prototype } = controller;
    for (const method of new MetadataScanner().getAllMethodNames(prototype))
      if (Object.hasOwn(prototype, method))
        Reflect.defineMetadata(originKey, { controller, method }, Reflect.get(prototype, method));
  }
}

const listControllers = (modules: ModulesContainer) =>
  [...modules.values()].flatMap((module) => [...module.controllers.values()]);

/** The controller and the method that a route calls. An inherited method is found by the name of its handler, which has both. */
export function findMethod(handlers: Handler[], modules: ModulesContainer): Origin | undefined {
  const origin = findDeclared(originKey, handlers);
  if (origin) return origin;
  for (const { metatype } of listControllers(modules))
    for (const { name } of handlers) {
      const [controller, method = ""] = name.split(".");
      const { name: own, prototype } = metatype as Controller;
      if (controller === own && method in prototype) return { controller: metatype as Controller, method };
    }
  return undefined;
}

/** The metadata of the route with these handlers. */
export function findDeclared(key: symbol, handlers: Handler[]) {
  return handlers.map((handler) => Reflect.getMetadata(key, handler)).find((value) => value !== undefined);
}
