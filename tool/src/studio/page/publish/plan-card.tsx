import type { PlanState } from "../../api.ts";
import { runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { findLatestJob, isRunning, publishForm, studio } from "../state.ts";
import { findPlace } from "./fault-place.ts";
import { listNames } from "./names.ts";

/** What a publish would do. Only this is published. */
export function PlanCard() {
  const { plan } = studio.value;
  const form = publishForm.value;
  const planning = findLatestJob("plan", form.target);
  const publishing = findLatestJob("publish");
  // The state may still have the plan before the one that was made last.
  const isLatest = plan !== null && plan.id === (planning?.result as PlanState | null | undefined)?.id;
  const isTrue = isLatest && plan.target === form.target && !form.isChanged;
  const { fault } = planning ?? {};
  const hasPlace = fault != null && findPlace(fault, listNames()) !== undefined;
  return (
    <section class="card stack">
      <div class="row">
        <Button kind={isTrue ? undefined : "primary"} isBusy={isRunning(findLatestJob("plan"))} onClick={makePlan}>
          Plan
        </Button>
        <Button
          kind={isTrue ? "primary" : undefined}
          isBusy={isRunning(publishing)}
          isDisabled={!isTrue}
          onClick={() => plan && runJob({ kind: "publish", plan: plan.id })}
        >
          Publish
        </Button>
      </div>
      {planning?.state === "failed" && fault && !hasPlace && <p class="notice bad">{fault.message}</p>}
      {plan && isTrue ? (
        <div class="stack" role="status">
          <pre class="block">{plan.text}</pre>
          {plan.warnings.map((warning) => (
            <p class="notice warn" key={warning}>
              {warning}
            </p>
          ))}
        </div>
      ) : (
        <p class="hint">A plan shows what would be done, and changes nothing. Only what was planned is published.</p>
      )}
    </section>
  );
}

async function makePlan(): Promise<void> {
  const { target, options, secrets, env } = publishForm.value;
  const typed = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ""));
  // The plan before this one is no longer offered, and this one only if nothing is changed meanwhile.
  const asked = { ...publishForm.value, isChanged: true };
  publishForm.value = asked;
  const job = await runJob({ kind: "plan", target, options, secrets: typed, env });
  if (job?.state === "done" && publishForm.value === asked) publishForm.value = { ...asked, isChanged: false };
}
