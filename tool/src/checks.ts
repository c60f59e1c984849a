import type { OpenApi } from "../../backend/kit/suite/document.ts";
import { selectChecks } from "../../backend/kit/suite/index.ts";
import { Skipped } from "../../backend/kit/suite/skipped.ts";
import type { Check, Feature, Place } from "../../backend/kit/suite/suite.ts";
import { deliveryChecks, hooksIn } from "../../backend/kit/suite/webhooks/checks.ts";
import { createRecorder, type Exchange } from "./record-exchanges.ts";

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

/** A check that has ended, with all that it sent and received. */
export interface EndedCheck {
  check: string;
  state: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  reason: string | null;
  ms: number;
  exchanges: Exchange[];
}

/** Makes checks report what they send and receive, each as it ends. */
export function recordChecks(checks: Check<Place>[], onEnd: (ended: EndedCheck) => void): Check<Place>[] {
  const record = createRecorder();
  return checks.map((check) => ({
    ...check,
    async run(place) {
      const start = performance.now();
      const exchanges: Exchange[] = [];
      const end = (state: EndedCheck["state"], reason: string | null) =>
        onEnd({ check: check.name, state, reason, ms: Math.round(performance.now() - start), exchanges });
      try {
        await record(exchanges, () => check.run(place));
        end("passed", null);
      } catch (error) {
        end(error instanceof Skipped ? "skipped" : "failed", (error as Error).message);
        throw error;
      }
    },
  }));
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
