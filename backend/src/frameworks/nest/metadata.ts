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

/** The metadata of the route with these handlers. */
export function declared(key: string, handlers: Handler[]) {
  return handlers.map((handler) => Reflect.getMetadata(key, handler)).find((value) => value !== undefined);
}
