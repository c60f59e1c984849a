import type { OpenApi } from "../../backend/kit/suite/document.ts";
import { selectChecks } from "../../backend/kit/suite/index.ts";
import { Skipped } from "../../backend/kit/suite/skipped.ts";
import type { Check, Feature, Place } from "../../backend/kit/suite/suite.ts";
import { deliveryChecks, hooksIn } from "../../backend/kit/suite/webhooks/checks.ts";

/** The checks that apply to a backend with these features. */
export function listChecks(document: OpenApi, features: Feature[]): Check<Place>[] {
  return selectChecks(document, { features, leftOut: canSign(document) ? [] : deliveryChecks });
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
