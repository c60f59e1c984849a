import { authChecks, authOperationChecks } from "./auth/checks.ts";
import { corsChecks } from "./cors/checks.ts";
import { creatingChecks } from "./creating.ts";
import { type OpenApi, resourcesIn } from "./document.ts";
import { findFeatures } from "./features.ts";
import { headerChecks } from "./headers.ts";
import { healthChecks } from "./health.ts";
import { itemRouteChecks } from "./item-routes/checks.ts";
import { itemReferenceChecks } from "./item-routes/relations.ts";
import { itemUniqueChecks } from "./item-routes/unique.ts";
import { limitChecks } from "./limits.ts";
import { listingChecks } from "./listing.ts";
import { operationChecks } from "./operations.ts";
import { parsingChecks } from "./parsing.ts";
import { relationChecks } from "./relations/checks.ts";
import { withReferences } from "./relations/prepare.ts";
import { routeChecks } from "./routes.ts";
import type { Check, Feature, Place, Running } from "./suite.ts";
import { uniqueChecks } from "./unique/checks.ts";
import { deliveryChecks, forgeryChecks } from "./webhooks/checks.ts";

/** Checks that run once. */
const backendChecks: Check<Running>[] = [...healthChecks, ...operationChecks];

/** Checks that run for each resource. */
const resourceChecks: Check[] = [
  ...routeChecks,
  ...listingChecks,
  ...creatingChecks,
  ...headerChecks,
  ...limitChecks,
  ...parsingChecks,
  ...uniqueChecks,
  ...relationChecks,
];

/** The checks of each feature. */
const featureChecks: Record<Feature, { backend?: Check<Running>[]; resource?: Check[] }> = {
  auth: { backend: authOperationChecks, resource: authChecks },
  cors: { resource: corsChecks },
  "item-routes": { resource: [...itemRouteChecks, ...itemUniqueChecks, ...itemReferenceChecks] },
  webhooks: { backend: [...forgeryChecks, ...deliveryChecks] },
};

interface Selection {
  /** By default those that the document describes. */
  features?: Feature[];
  leftOut?: Pick<Check, "name">[];
}

/** The contract of the backend that an OpenAPI document describes, as checks that use HTTP only. */
export function selectChecks(
  document: OpenApi,
  { features = findFeatures(document), leftOut = [] }: Selection = {},
): Check<Place>[] {
  const resources = resourcesIn(document);
  const nameAt = (name: string, path: string) => (resources.length > 1 ? `${path}: ${name}` : name);
  const isAsked = (check: Pick<Check, "name">) => !leftOut.includes(check);
  const ofBackend = [...backendChecks, ...features.flatMap((feature) => featureChecks[feature].backend ?? [])];
  const ofResource = [...resourceChecks, ...features.flatMap((feature) => featureChecks[feature].resource ?? [])];
  return [
    ...ofBackend.filter(isAsked).map((check) => ({
      ...check,
      run: (place: Place) => check.run({ ...place, document, features }),
    })),
    ...resources.flatMap((resource) =>
      ofResource
        .filter((check) => isAsked(check) && check.isFor?.(resource) !== false)
        .map((check) => ({
          ...check,
          name: nameAt(check.name, resource.path),
          run: async (place: Place) => check.run(await withReferences({ ...place, ...resource, document, features })),
        })),
    ),
  ];
}
