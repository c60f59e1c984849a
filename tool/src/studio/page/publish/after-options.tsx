import type { ProjectState } from "../../api.ts";
import { runJob } from "../actions.ts";
import { Button } from "../controls/button.tsx";
import { Checkbox } from "../controls/checkbox.tsx";
import { TextField } from "../controls/text-field.tsx";
import { findLatestJob, isRunning, publishForm } from "../state.ts";

/** Options of what is done after a publish: `dory logs` and `dory rollback`. */
export interface AfterOptions {
  lines: string;
  isFollowing: boolean;
  isKeeping: boolean;
}

export const noAfterOptions: AfterOptions = { lines: "", isFollowing: false, isKeeping: false };

interface AfterOptionFieldsProps {
  project: ProjectState;
  options: AfterOptions;
  onChange: (options: AfterOptions) => void;
}

export function AfterOptionFields({ project, options, onChange }: AfterOptionFieldsProps) {
  const change = (changes: Partial<AfterOptions>) => onChange({ ...options, ...changes });
  return (
    <details>
      <summary>Options of logs and rollbacks</summary>
      <div class="target-fields">
        <TextField
          label="Lines"
          value={options.lines}
          placeholder="100"
          hint="How many lines of each container."
          onInput={(lines) => change({ lines })}
        />
        <Checkbox
          label="Follow"
          hint="Keep showing new lines."
          isChecked={options.isFollowing}
          onChange={(isFollowing) => change({ isFollowing })}
        />
        {project.secrets.length > 0 && (
          <Checkbox
            label="Keep secrets"
            hint="A rollback keeps the current secrets instead of those of that release."
            isChecked={options.isKeeping}
            onChange={(isKeeping) => change({ isKeeping })}
          />
        )}
      </div>
      {project.secrets.length > 0 && <PruneSecrets />}
    </details>
  );
}

function PruneSecrets() {
  const { target, options } = publishForm.value;
  const prune = () => runJob({ kind: "prune-secrets", target, options: { wait: options.wait ?? false } });
  return (
    <div class="row">
      <Button isBusy={isRunning(findLatestJob("prune-secrets"))} onClick={prune}>
        Prune secrets
      </Button>
      <p class="hint">Deletes the secrets of earlier releases. A rollback then needs to keep the current ones.</p>
    </div>
  );
}
