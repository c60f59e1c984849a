import { list } from "../../environment.ts";
import type { Feature } from "../../start.ts";
import { allowOrigins, origin } from "./cors.ts";

declare module "../../start.ts" {
  interface Settings {
    corsOrigins: string[];
  }
}

/** Pages of some other origins may use the API. */
export const cors: Feature = {
  readSettings: (read) => ({ corsOrigins: read("CORS_ORIGINS", undefined, list(origin)) }),
  createGuard: (_app, { config }, features) => allowOrigins(config.corsOrigins, features),
};
