import { authChecks, authOperationChecks } from "./auth/checks.ts";
import { corsChecks } from "./cors/checks.ts";
import { creatingChecks } from "./creating.ts";
import { type OpenApi, resourcesIn } from "./document.ts";
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
import type { Check, Place, Running, Subject } from "./suite.ts";
import { uniqueChecks } from "./unique/checks.ts";
import { deliveryChecks, forgeryChecks } from "./webhooks/checks.ts";

/** Checks that run once. */
const backendChecks: Check<Running>[] = [...healthChecks, ...operationChecks];
backendChecks.push(...authOperationChecks);
backendChecks.push(...forgeryChecks, ...deliveryChecks);

/** Checks that run for each resource. */
const resourceChecks: Check[] = [
  ...routeChecks,
  ...listingChecks,
  ...creatingChecks,
  ...headerChecks,
  ...limitChecks,
  ...parsingChecks,
  ...authChecks,
  ...corsChecks,
];

resourceChecks.push(...itemRouteChecks);
resourceChecks.push(...itemUniqueChecks);
resourceChecks.push(...itemReferenceChecks);
resourceChecks.push(...uniqueChecks);
resourceChecks.push(...relationChecks);

/** What a resource needs before it can be checked. */
const preparations: ((subject: Subject) => Promise<Subject>)[] = [];
preparations.push(withReferences);

/** The contract of the backend that an OpenAPI document describes, as checks that use HTTP only. */
export function checksOf(document: OpenApi, leftOut: Pick<Check, "name">[] = []): Check<Place>[] {
  const resources = resourcesIn(document);
  const nameOf = (name: string, path: string) => (resources.length > 1 ? `${path}: ${name}` : name);
  const isAsked = (check: Pick<Check, "name">) => !leftOut.includes(check);
  return [
    ...backendChecks.filter(isAsked).map((check) => ({
      ...check,
      run: (place: Place) => check.run({ ...place, document }),
    })),
    ...resources.flatMap((resource) =>
      resourceChecks
        .filter((check) => isAsked(check) && check.isFor?.(resource) !== false)
        .map((check) => ({
          ...check,
          name: nameOf(check.name, resource.path),
          run: async (place: Place) => check.run(await prepared({ ...place, ...resource, document })),
        })),
    ),
  ];
}

async function prepared(subject: Subject): Promise<Subject> {
  let ready = subject;
  for (const prepare of preparations) ready = await prepare(ready);
  return ready;
}
