import { useEffect, useRef } from "preact/hooks";
import { outcomes } from "../../../publish/outcomes.ts";
import type { Job, PublishResult } from "../../api.ts";
import { cancelJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { FaultNotice } from "../controls/fault-notice.tsx";
import { findLatestJob, isRunning, publishEvents } from "../state.ts";
import { findOutcome, listNotes, type Step, toSteps } from "./steps.ts";

const titles = {
  publish: "Publishing",
  rollback: "Rolling back",
  unpublish: "Unpublishing",
  "prune-secrets": "Deleting old secrets",
};
const kinds = Object.keys(titles) as (keyof typeof titles)[];

/** What the terminal would print, as it happens. */
export function StepsCard() {
  const job = findLatestJob(kinds);
  const card = useRef<HTMLElement>(null);
  const running = isRunning(job) ? job?.id : undefined;
  useEffect(() => {
    // The button that was pressed may be far below, or above.
    if (running !== undefined) card.current?.scrollIntoView({ block: "nearest" });
  }, [running]);
  if (!job) return null;
  const events = publishEvents.value[job.id] ?? [];
  const notes = listNotes(events);
  const outcome = findOutcome(events);
  return (
    <section class="card stack steps-card" ref={card}>
      <div class="row spread">
        <h2>{titles[job.kind as keyof typeof titles]}</h2>
        {isRunning(job) ? (
          <Button kind="quiet" onClick={() => cancelJob(job.id)}>
            Cancel
          </Button>
        ) : (
          <span class={`badge ${job.state === "done" ? "good" : "bad"}`}>{job.state}</span>
        )}
      </div>
      <ol class="steps" aria-label="Steps" aria-live="polite">
        {toSteps(events).map((step, index) => (
          <StepItem key={index} step={step} isRunning={isRunning(job)} />
        ))}
      </ol>
      {notes.length > 0 && (
        <details>
          <summary class="small">What the terminal prints beside it</summary>
          <pre class="block">{notes.join("\n")}</pre>
        </details>
      )}
      {outcome && <p class="notice warn">{outcomes[outcome]}</p>}
      {job.fault && <FaultNotice message={job.fault.message} />}
      {job.state === "done" && <Result job={job} />}
    </section>
  );
}

function StepItem({ step: { title, state, ms, text }, isRunning }: { step: Step; isRunning: boolean }) {
  return (
    <li class={`step ${state}`}>
      <span class="step-mark" aria-hidden="true">
        {state === "done" ? "✓" : state === "failed" ? "✗" : isRunning ? <span class="spinner" /> : "–"}
      </span>
      <span>
        {title}
        <span class="visually-hidden">: {state}</span>
        {state === "started" && text && <span class="hint step-text">{text}</span>}
      </span>
      <span class="small muted">{ms === undefined ? "" : `${(ms / 1000).toFixed(1)} s`}</span>
    </li>
  );
}

function Result({ job }: { job: Job }) {
  if (job.kind === "unpublish") return <p class="notice good">It is removed from where it was published.</p>;
  if (job.kind === "prune-secrets") return <p class="notice good">Only the secrets of the live release are kept.</p>;
  const { release, url, isUnchanged } = job.result as PublishResult;
  return (
    <p class="notice good">
      {isUnchanged ? `Nothing changed: ${release} is live already, at ` : `${release} is live at `}
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
    </p>
  );
}
