import { changeView } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { SelectField } from "../controls/select-field.tsx";
import {
  choices,
  findBackend,
  findLatestJob,
  isApplication,
  isProject,
  isRunning,
  options,
  preview,
  studio,
  view,
} from "../state.ts";
import { ApplicationHint } from "./application-hint.tsx";
import { BackendCard } from "./backend-card.tsx";
import { benchAll, checkAll, listKeys, listRunning, listShownKeys, startAll, stopAll } from "./backends.ts";
import { BenchCard } from "./bench-card.tsx";
import { ChecksCard } from "./checks-card.tsx";
import { isActive } from "./keys.ts";
import { Log } from "./log.tsx";
import { OperationList } from "./operation-list.tsx";

/** Starts what is chosen, asks it, and checks it; beside it, if one wants, the same in another framework. */
export function RunTab() {
  const keys = listKeys();
  const shown = listShownKeys();
  const isReady = listRunning().length > 0 && !keys.some((key) => findBackend(key)?.state === "preparing");
  const isBusy = (kind: "start" | "stop" | "check") => shown.some((key) => isRunning(findLatestJob(kind, key)));
  const isWrong = (preview.value?.faults.length ?? 0) > 0;
  return (
    <div class="stack">
      <div class="card stack">
        <div class="run-head">
          <div class="row">
            <Button
              kind="primary"
              isBusy={isBusy("start")}
              isDisabled={isWrong || isApplication.value}
              onClick={startAll}
            >
              Start
            </Button>
            <Button isBusy={isBusy("stop")} isDisabled={!studio.value.backends.some(isActive)} onClick={stopAll}>
              Stop
            </Button>
            <Button isBusy={isBusy("check")} isDisabled={!isReady} onClick={checkAll}>
              Check
            </Button>
            <Button isBusy={isRunning(findLatestJob("bench"))} isDisabled={!isReady} onClick={benchAll}>
              Benchmark
            </Button>
          </div>
          {!isApplication.value && (
            <SelectField
              label="Beside it"
              value={keys.length > 1 ? (view.value.beside ?? "") : ""}
              options={[
                { value: "", title: "No other framework" },
                ...options.frameworks
                  .filter(({ name }) => name !== choices.value.framework)
                  .map(({ name, title }) => ({ value: name, title })),
              ]}
              onChange={(beside) => changeView({ beside: beside || undefined })}
            />
          )}
        </div>
        {isApplication.value ? <ApplicationHint /> : <p class="hint">{describePlace()}</p>}
        <div class={`backends ${shown.length > 1 ? "two" : ""}`}>
          {shown.map((key) => (
            <BackendCard key={key} backendKey={key} />
          ))}
        </div>
      </div>
      <BenchCard />
      <div class="run">
        <div class="stack">
          <OperationList />
        </div>
        <div class="stack">
          <ChecksCard />
          <Log />
        </div>
      </div>
    </div>
  );
}

function describePlace(): string {
  const { project } = studio.value;
  return isProject.value
    ? `Runs the project in ${project?.folder === "." ? "this folder" : `./${project?.folder}`}.`
    : "Runs what is chosen, in a folder that is removed again. Make it under Choose to keep it.";
}
