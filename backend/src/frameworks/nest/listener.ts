import "./adopt.ts";
import type { CreateListener } from "../../parts.ts";
import { createApp } from "./app.ts";
import { findRoutes } from "./find-routes.ts";
import { choice } from "./public.ts";

/** Nest's app. It listens to the requests of the parts' server. */
export const createListener: CreateListener = async (parts) => {
  const app = await createApp(parts);
  await app.init();
  return {
    routes: findRoutes(app, parts),
    choice,
    close: () => app.close(),
  };
};
