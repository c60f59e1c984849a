import type { Job } from "../../api.ts";
import { cancelJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { FaultNotice } from "../controls/fault-notice.tsx";
import { isRunning, lines } from "../state.ts";

/** What `dory logs` prints. */
export function ReleaseLog({ job }: { job: Job }) {
  const own = lines.value.filter((line) => line.job === job.id);
  return (
    <div class="stack">
      <div class="row spread">
        <h3 id="release-log">What it logs</h3>
        {isRunning(job) && (
          <Button kind="quiet" onClick={() => cancelJob(job.id)}>
            Stop following
          </Button>
        )}
      </div>
      {job.state === "failed" && job.fault && <FaultNotice message={job.fault.message} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for those who have no mouse */}
      <div class="block mono log" role="log" aria-labelledby="release-log" tabIndex={0}>
        {own.map(({ id, text }) => (
          <div key={id}>{text}</div>
        ))}
      </div>
    </div>
  );
}
