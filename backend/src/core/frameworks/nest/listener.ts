import type { INestApplication } from "@nestjs/common";
import type { AppListener } from "../../http/app-server.ts";
import { entityTag } from "../../http/express.ts";
import type { CoreParts } from "../../parts.ts";
import { findRoutes } from "./find-routes.ts";
import { choice } from "./public.ts";

/** Nest's app. It listens to the requests of the parts' server. */
export async function toListener(app: INestApplication, parts: CoreParts): Promise<AppListener> {
  // Express's default computes a tag for every answer, also for those that no client may store.
  const express = app.getHttpAdapter().getInstance();
  if (express.get("etag") === "weak") express.set("etag", entityTag);
  await app.init();
  return {
    routes: findRoutes(app, parts),
    choice,
    close: () => app.close(),
  };
}
