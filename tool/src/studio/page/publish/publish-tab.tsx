import { useEffect } from "preact/hooks";
import { openTab, runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { findLatestJob, isChange, isLocal, isRunning, publishForm, studio } from "../state.ts";
import { PlanCard } from "./plan-card.tsx";
import { ReleasesCard } from "./releases-card.tsx";
import { StepsCard } from "./steps-card.tsx";
import { TargetCard } from "./target-card.tsx";

/** From the project to a live release, and back. */
export function PublishTab() {
  const { project, releases } = studio.value;
  const { target } = publishForm.value;
  const hasProject = project !== null && isLocal;
  const isUnknown = hasProject && !releases[target] && !isRunning(findLatestJob(["publish", "rollback", "unpublish"]));
  useEffect(() => {
    if (isUnknown && !isRunning(findLatestJob("status", target))) void runJob({ kind: "status", target });
  }, [isUnknown, target]);
  if (!project)
    return (
      <section class="card stack">
        <h2>Nothing to publish yet</h2>
        <p class="hint">Publishing needs the project's files on this machine.</p>
        <div class="row">
          <Button kind="primary" onClick={() => openTab("choose")}>
            Choose and make it
          </Button>
        </div>
      </section>
    );
  return (
    <div class="publish">
      <div class="stack">
        {isChange.value && (
          <p class="notice warn">
            The project does not have what is chosen now. It is published as it is, until you change it under Choose.
          </p>
        )}
        <TargetCard project={project} />
        <PlanCard />
      </div>
      <div class="stack">
        <StepsCard />
        <ReleasesCard project={project} />
      </div>
    </div>
  );
}
