import { runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { FaultNotice } from "../controls/fault-notice.tsx";
import { choices, findLatestJob, isChange, isLocal, isProject, isRunning, preview, query, studio } from "../state.ts";
import { ChangeCard } from "./change-card.tsx";
import { JobLines } from "./job-lines.tsx";

/** Makes the project on this machine, or downloads it. */
export function MakeCard() {
  const isWrong = (preview.value?.faults.length ?? 0) > 0;
  return (
    <section class="card stack" aria-label="Make it">
      {isLocal && isChange.value && <ChangeCard />}
      <div class="row">
        {isLocal && !isChange.value && <MakeButton isWrong={isWrong} />}
        {["tgz", "zip"].map((form) => (
          <Button key={form} isDisabled={isWrong} onClick={() => download(form)}>
            Download .{form}
          </Button>
        ))}
      </div>
      {isWrong && <p class="hint">First correct what is marked.</p>}
      {isLocal && !isChange.value && <MakeState />}
    </section>
  );
}

function MakeButton({ isWrong }: { isWrong: boolean }) {
  const job = findLatestJob("create");
  return (
    <Button
      kind="primary"
      isBusy={isRunning(job)}
      isDisabled={isWrong || isProject.value}
      onClick={() => runJob({ kind: "create", query: query.value })}
    >
      Make it
    </Button>
  );
}

/** How far it is, and where it was made. */
function MakeState() {
  const job = findLatestJob("create");
  const { project } = studio.value;
  if (isProject.value && project)
    return (
      <>
        <p class="notice good" role="status">
          {project.name} is in {project.folder === "." ? "this folder" : `./${project.folder}`}. Change a choice here to
          change it.
        </p>
        {job?.fault?.code === "npm_install" && job.about === project.folder && !project.isInstalled && (
          <FaultNotice message={job.fault.message} />
        )}
      </>
    );
  if (job?.state === "running") return <JobLines job={job.id} />;
  if (job?.state === "failed" && job.fault) return <FaultNotice message={job.fault.message} />;
  return <p class="hint">Files, packages and a first commit, in a new folder.</p>;
}

function download(form: string): void {
  const given = new URLSearchParams(query.value);
  // The path has the name.
  given.delete("name");
  const link = document.createElement("a");
  link.href = `/projects/${encodeURIComponent(choices.value.name)}.${form}?${given}`;
  link.download = "";
  link.click();
}
