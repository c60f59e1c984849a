// What this backend does beyond its routes.

import { auth } from "./core/features/auth/feature.ts";
import { cors } from "./core/features/cors/feature.ts";
import { itemRoutes } from "./core/features/item-routes/feature.ts";
import { referenceFields } from "./core/features/reference-fields/feature.ts";
import { uniqueFields } from "./core/features/unique-fields/feature.ts";
import { webhooks } from "./core/features/webhooks/feature.ts";
import type { Feature } from "./core/start.ts";

/** Those that see requests see them in this order. */
export const features: Feature[] = [
  // First, so that a page can read why a request was refused.
  cors,
  auth,
  itemRoutes,
  webhooks,
  uniqueFields,
  referenceFields,

  // Yours follow here.
];
