import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { MetadataScanner, type ModulesContainer } from "@nestjs/core";
import type { Handler } from "../../http/express.ts";
import { readCreation, readPage } from "../../resource.ts";

/** @deprecated For resources of 0.1.0. Write `@Query({ schema: PageQuery }) page: Page`. */
export const PageQuery = createParamDecorator((_data, context: ExecutionContext) =>
  readPage(context.switchToHttp().getRequest()),
);

/** The options of a creation, from its headers: `@CreationHeaders() creation: Creation`. */
export const CreationHeaders = createParamDecorator((_data, context: ExecutionContext) =>
  readCreation(context.switchToHttp().getRequest()),
);

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

/** The controller and the method that a route calls. Nest names a handler after both. */
export function findMethod(handlers: Handler[], modules: ModulesContainer) {
  const controllers = [...modules.values()].flatMap((module) => [...module.controllers.values()]);
  for (const { metatype } of controllers)
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
