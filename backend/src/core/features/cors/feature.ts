import { list } from "../../environment.ts";
import type { Feature } from "../../feature.ts";
import { allowOrigins, origin } from "./cors.ts";

declare module "../../config.ts" {
  interface Settings {
    corsOrigins: string[];
  }
}

/** Pages of some other origins may use the API. */
export const cors: Feature = {
  readSettings: (read) => ({ corsOrigins: read("CORS_ORIGINS", undefined, list(origin)) }),
  createGuard: (_app, { config }, features) => allowOrigins(config.corsOrigins, features),
};
