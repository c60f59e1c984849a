import { openTab, runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { choices, findLatestJob, isChange, isLocal, isProject, isRunning, preview, query, studio } from "../state.ts";
import { ChangeCard } from "./change-card.tsx";
import { JobLines } from "./job-lines.tsx";

/** Downloads the project, or makes it on this machine. */
export function MakeCard() {
  const isWrong = (preview.value?.faults.length ?? 0) > 0;
  const archive = (form: string) => `/projects/${encodeURIComponent(choices.value.name)}.${form}?${withoutName()}`;
  return (
    <section class="card stack">
      {isLocal && (isChange.value ? <ChangeCard /> : <MakeIt isWrong={isWrong} />)}
      <div class="row">
        {["tgz", "zip"].map((form) => (
          <Button key={form} isDisabled={isWrong} onClick={() => download(archive(form))}>
            Download .{form}
          </Button>
        ))}
      </div>
    </section>
  );
}

function MakeIt({ isWrong }: { isWrong: boolean }) {
  const job = findLatestJob("create");
  const { project } = studio.value;
  const isMade = isProject.value;
  return (
    <>
      <h2>{isMade ? "Made" : "On this machine"}</h2>
      <div class="row">
        <Button
          kind="primary"
          isBusy={isRunning(job)}
          isDisabled={isWrong || isMade}
          onClick={() => runJob({ kind: "create", query: query.value })}
        >
          Make it
        </Button>
        {isMade && <Button onClick={() => openTab("run")}>Run it</Button>}
      </div>
      {isMade && project && (
        <p class="hint" role="status">
          {project.name} is in {project.folder === "." ? "this folder" : `./${project.folder}`}. Change a choice here to
          change it.
        </p>
      )}
      {!isMade && <p class="hint">Files, packages and a first commit, in a new folder.</p>}
      {isWrong && <p class="hint">First correct what is marked.</p>}
      {job && job.state === "failed" && <p class="notice bad">{job.fault?.message}</p>}
      {job && job.state === "running" && <JobLines job={job.id} />}
    </>
  );
}

function download(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

/** The path has the name. */
function withoutName(): string {
  const given = new URLSearchParams(query.value);
  given.delete("name");
  return given.toString();
}
