import { originHeader } from "../openapi/features/cors.ts";
import { type OpenApi, resourcesIn } from "./document.ts";
import { hasItemRoutes } from "./item-routes/item.ts";
import type { Feature } from "./suite.ts";
import { hooksIn } from "./webhooks/checks.ts";

/** The features that an OpenAPI document describes. */
export function findFeatures(document: OpenApi): Feature[] {
  const { components = {} } = document;
  const { securitySchemes = {}, headers = {} } = components as Record<string, Record<string, { scheme?: string }>>;
  const isDescribed: Record<Feature, boolean> = {
    auth: Object.values(securitySchemes).some(({ scheme }) => scheme === "bearer"),
    cors: originHeader in headers,
    "item-routes": resourcesIn(document).some(({ path }) => hasItemRoutes(document, path)),
    webhooks: hooksIn({ document }).length > 0,
  };
  return (Object.keys(isDescribed) as Feature[]).filter((feature) => isDescribed[feature]);
}
