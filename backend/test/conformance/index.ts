import { authChecks } from "./auth/checks.ts";
import { corsChecks } from "./cors/checks.ts";
import { creatingChecks } from "./creating.ts";
import { headerChecks } from "./headers.ts";
import { limitChecks } from "./limits.ts";
import { listingChecks } from "./listing.ts";
import { parsingChecks } from "./parsing.ts";
import { routeChecks } from "./routes.ts";
import type { Check } from "./suite.ts";

/** The contract of a backend, over HTTP alone: any base URL can be judged by it. */
export const checks: Check[] = [
  ...routeChecks,
  ...listingChecks,
  ...creatingChecks,
  ...headerChecks,
  ...limitChecks,
  ...parsingChecks,
  ...authChecks,
  ...corsChecks,
];
