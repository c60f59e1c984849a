import type { INestApplication } from "@nestjs/common";
import type { AppListener, CoreParts } from "../../parts.ts";
import { findRoutes } from "./find-routes.ts";
import { choice } from "./public.ts";

/** Nest's app. It listens to the requests of the parts' server. */
export async function toListener(app: INestApplication, parts: CoreParts): Promise<AppListener> {
  await app.init();
  return {
    routes: findRoutes(app, parts),
    choice,
    close: () => app.close(),
  };
}
