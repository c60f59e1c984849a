import { openTab } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { FaultNotice } from "../controls/fault-notice.tsx";
import { ApplicationHint } from "../run/application-hint.tsx";
import { isStale, proveMain } from "../run/backends.ts";
import { CheckList } from "../run/check-list.tsx";
import { CheckSummaryLine } from "../run/check-summary.tsx";
import { checkRuns, findBackend, findLatestJob, isApplication, isRunning, preview } from "../state.ts";
import { JobLines } from "./job-lines.tsx";

/** Proof instead of a preview: what is chosen is started, and the suite runs on it. */
export function ProofCard() {
  const backend = findBackend("main");
  const start = findLatestJob("start", "main");
  const check = findLatestJob("check", "main");
  const run = backend && !isStale(backend) ? checkRuns.value["main"] : undefined;
  const isWrong = (preview.value?.faults.length ?? 0) > 0;
  if (isApplication.value)
    return (
      <section class="card stack">
        <h2>Proof</h2>
        <ApplicationHint />
      </section>
    );
  return (
    <section class="card stack">
      <h2>Proof</h2>
      <p class="hint">Starts what is chosen, and runs the contract's suite on it.</p>
      <div class="row">
        <Button isBusy={isRunning(start) || isRunning(check)} isDisabled={isWrong} onClick={proveMain}>
          Prove it
        </Button>
        {run && (
          <Button kind="quiet" onClick={() => openTab("run")}>
            Open in Run
          </Button>
        )}
      </div>
      {isRunning(start) && start && <JobLines job={start.id} />}
      {[start, check].map(
        (job) => job?.state === "failed" && job.fault && <FaultNotice message={job.fault.message} key={job.id} />,
      )}
      {run && (
        <>
          <CheckSummaryLine run={run} />
          <CheckList backends={["main"]} isCompact />
        </>
      )}
    </section>
  );
}
