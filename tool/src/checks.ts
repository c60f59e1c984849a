import { authChecks } from "../../backend/test/conformance/auth/checks.ts";
import { credentials } from "../../backend/test/conformance/auth/tokens.ts";
import { corsChecks } from "../../backend/test/conformance/cors/checks.ts";
import { checks } from "../../backend/test/conformance/index.ts";
import type { Check } from "../../backend/test/conformance/suite.ts";
import type { Feature } from "./request.ts";

/** The part of the suite that a backend with these features is judged by. */
export function checksFor(features: Feature[]): Check[] {
  // What the suite sends with every request, to a backend that knows no token.
  if (!features.includes("auth")) delete credentials["Authorization"];
  const unasked = [...(features.includes("auth") ? [] : authChecks), ...(features.includes("cors") ? [] : corsChecks)];
  return checks.filter((one) => !unasked.includes(one));
}
