import type { Server } from "@hapi/hapi";
import type { AppListener } from "../../http/app-server.ts";
import type { Route } from "../../http/routes.ts";
import { choice, isConditional, isPublic } from "./public.ts";

/** hapi's server. It listens to the requests of the parts' server. */
export async function toListener(server: Server): Promise<AppListener> {
  await server.start();
  return {
    routes: findRoutes(server),
    choice,
    close: () => server.stop(),
  };
}

function findRoutes(server: Server): Route[] {
  const routes = server.table().filter(({ settings }) => !settings.isInternal);
  return routes.map((route) => {
    return {
      method: route.method.toUpperCase(),
      pattern: route.path,
      bodyLimit: route.settings.payload?.maxBytes,
      handlerTimeout: Number(route.settings.timeout?.server) || undefined,
      isPublic: isPublic(route),
      isConditional: isConditional(route),
      definition: route.settings,
    };
  });
}
