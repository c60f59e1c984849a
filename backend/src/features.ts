// What this backend does beyond its routes.

import { auth } from "./core/features/auth/feature.ts";
import { cors } from "./core/features/cors/feature.ts";
import { itemRoutes } from "./core/features/item-routes/feature.ts";
import { webhooks } from "./core/features/webhooks/feature.ts";
import type { Feature } from "./core/start.ts";

/** A request passes them in this order. */
export const features: Feature[] = [
  // First, so that a page can read why a request was refused.
  cors,
  auth,
  itemRoutes,
  webhooks,

  // Yours follow here.
];
