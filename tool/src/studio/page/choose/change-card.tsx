import type { ChangePreview } from "../../api.ts";
import { choose, runJob } from "../actions.ts";
import { readChoices } from "../choices.ts";
import { Button } from "../controls/button.tsx";
import { FaultNotice } from "../controls/fault-notice.tsx";
import { findLatestJob, isRunning, options, plannedChange, preview, query, studio } from "../state.ts";
import { JobLines } from "./job-lines.tsx";

/** What the choices would change in the project: a merge with what its owner wrote. */
export function ChangeCard() {
  const planned = findLatestJob("preview-change");
  const done = findLatestJob("change");
  const { project } = studio.value;
  const isWrong = (preview.value?.faults.length ?? 0) > 0;
  const result =
    planned?.state === "done" && plannedChange.value === query.value ? (planned.result as ChangePreview) : null;
  return (
    <>
      <h2>Change the project</h2>
      <p class="hint">Git merges it with what you wrote: your lines stay.</p>
      <div class="row">
        <Button
          kind={result ? undefined : "primary"}
          isBusy={isRunning(planned)}
          isDisabled={isWrong}
          onClick={previewChange}
        >
          Preview change
        </Button>
        <Button
          kind={result ? "primary" : undefined}
          isBusy={isRunning(done)}
          isDisabled={isWrong}
          onClick={() => runJob({ kind: "change", query: query.value })}
        >
          Change it
        </Button>
        <Button kind="quiet" onClick={() => choose(readChoices(project?.query ?? "", options.defaults))}>
          Undo choices
        </Button>
      </div>
      {result && <Merge change={result} />}
      {[planned, done].map((job) =>
        job?.state === "failed" ? (
          <FaultNotice message={job.fault?.message ?? ""} key={job.id} />
        ) : job?.state === "running" ? (
          <JobLines job={job.id} key={job.id} />
        ) : null,
      )}
    </>
  );
}

function previewChange(): void {
  plannedChange.value = query.value;
  void runJob({ kind: "preview-change", query: query.value });
}

function Merge({ change: { title, notes, files, conflicts, isNothing } }: { change: ChangePreview }) {
  return (
    <div class="stack" role="status">
      <h3>{title}</h3>
      {isNothing && <p class="hint">Nothing to change.</p>}
      {conflicts.length > 0 && (
        <p class="notice warn">
          {conflicts.length} {conflicts.length === 1 ? "file conflicts" : "files conflict"} with your changes:{" "}
          {conflicts.join(", ")}
        </p>
      )}
      {notes.map((note) => (
        <p class="hint" key={note}>
          {note}
        </p>
      ))}
      <ul class="merge-files">
        {files.map(({ path, state, added, removed }) => (
          <li key={path} class="row">
            <span class={`badge ${state === "added" ? "good" : state === "removed" ? "bad" : "accent"}`}>{state}</span>
            <code>{path}</code>
            <span class="small muted">
              +{added} −{removed}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
