import { originHeader } from "../../backend/kit/openapi/features/cors.ts";
import { authChecks, authOperationChecks } from "../../backend/kit/suite/auth/checks.ts";
import { credentials } from "../../backend/kit/suite/auth/tokens.ts";
import { corsChecks } from "../../backend/kit/suite/cors/checks.ts";
import { type OpenApi, resourcesIn } from "../../backend/kit/suite/document.ts";
import { checksOf } from "../../backend/kit/suite/index.ts";
import { itemRouteChecks } from "../../backend/kit/suite/item-routes/checks.ts";
import { conditionHeaders, tagHeaders } from "../../backend/kit/suite/item-routes/headers.ts";
import { hasItemRoutes } from "../../backend/kit/suite/item-routes/item.ts";
import { itemReferenceChecks } from "../../backend/kit/suite/item-routes/relations.ts";
import { itemUniqueChecks } from "../../backend/kit/suite/item-routes/unique.ts";
import { Skipped } from "../../backend/kit/suite/skipped.ts";
import type { Check, Place } from "../../backend/kit/suite/suite.ts";
import { deliveryChecks, forgeryChecks, hooksIn } from "../../backend/kit/suite/webhooks/checks.ts";
import { type Feature, features } from "./new/request.ts";

/** The features that an OpenAPI document describes. */
export function findFeatures(document: OpenApi): Feature[] {
  const { components = {} } = document;
  const { securitySchemes = {}, headers = {} } = components as Record<string, Record<string, { scheme?: string }>>;
  const isDescribed = {
    auth: Object.values(securitySchemes).some(({ scheme }) => scheme === "bearer"),
    cors: originHeader in headers,
    "item-routes": resourcesIn(document).some(({ path }) => hasItemRoutes(document, path)),
    webhooks: hooksIn({ document }).length > 0,
  };
  return features.filter((feature) => isDescribed[feature]);
}

/** The checks that apply to a backend with these features. */
export function listChecks(document: OpenApi, features: Feature[]): Check<Place>[] {
  // The suite sends a token with every request, even if the backend has no auth.
  if (!features.includes("auth")) delete credentials["Authorization"];
  if (!features.includes("item-routes")) for (const names of [conditionHeaders, tagHeaders]) names.length = 0;
  const checksByFeature: Record<Feature, Pick<Check, "name">[]> = {
    auth: [...authChecks, ...authOperationChecks],
    cors: corsChecks,
    "item-routes": [...itemRouteChecks, ...itemUniqueChecks, ...itemReferenceChecks],
    webhooks: [...forgeryChecks, ...deliveryChecks],
  };
  const unasked = Object.entries(checksByFeature).filter(([feature]) => !features.includes(feature as Feature));
  const leftOut = unasked.flatMap(([, checks]) => checks);
  return checksOf(document, canSign(document) ? leftOut : [...leftOut, ...deliveryChecks]);
}

/** Whether the secrets of all webhooks are known. Events signed with them reach the backend's handlers. */
function canSign(document: OpenApi): boolean {
  return hooksIn({ document }).every(({ variable }) => process.env[variable] !== undefined);
}

/** The result of one check. */
export interface Finding {
  check: string;
  fault?: string;
  /** Why it could not run: a plugin of the backend's owner answers instead. */
  skipped?: string;
}

/** Runs checks one after the other, and slow ones at the same time; the findings keep the order of the checks. */
export function runChecks(checks: Check<Place>[], place: Place): Promise<Finding>[] {
  let previous: Promise<unknown> = Promise.resolve();
  return checks.map((check) => {
    if (check.isSlow) return runCheck(check, place);
    const finding = previous.then(() => runCheck(check, place));
    previous = finding;
    return finding;
  });
}

function runCheck({ name, run }: Check<Place>, place: Place): Promise<Finding> {
  return run(place).then(
    () => ({ check: name }),
    (error: Error) =>
      error instanceof Skipped ? { check: name, skipped: error.message } : { check: name, fault: error.message },
  );
}
