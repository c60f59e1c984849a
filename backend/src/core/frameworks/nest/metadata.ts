import type { ModulesContainer } from "@nestjs/core";
import type { Handler } from "../../http/express.ts";

/** Sets metadata of a route, or of all routes of a controller. Nest passes only that of methods to the router. */
export function declare(key: string, value: unknown): ClassDecorator & MethodDecorator {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor) => {
    const { prototype } = target as { prototype: object };
    const methods = method ? [method] : Object.values(Object.getOwnPropertyDescriptors(prototype));
    for (const { value: handler } of methods)
      if (typeof handler === "function" && !Reflect.hasMetadata(key, handler))
        Reflect.defineMetadata(key, value, handler);
  };
}

type Controller = { name: string; prototype: object };

/** The controller and the method that a route calls. Nest names a handler after both. */
export function methodOf(handlers: Handler[], modules: ModulesContainer) {
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
export function declared(key: string, handlers: Handler[]) {
  return handlers.map((handler) => Reflect.getMetadata(key, handler)).find((value) => value !== undefined);
}
