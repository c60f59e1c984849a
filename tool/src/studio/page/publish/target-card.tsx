import type { ProjectState, PublishField } from "../../api.ts";
import { Checkbox } from "../controls/checkbox.tsx";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { findLatestJob, options, type PublishForm, publishForm } from "../state.ts";
import { findPlace } from "./fault-place.ts";
import { listNames } from "./names.ts";
import { PublishFieldControl } from "./publish-field.tsx";

/** Where to publish, and with what. */
export function TargetCard({ project }: { project: ProjectState }) {
  const form = publishForm.value;
  const target = options.targets.find(({ name }) => name === form.target);
  const hasFault = options.publish.some(({ name }) => findFault(name) !== undefined);
  const renderField = (field: PublishField) => (
    <PublishFieldControl
      key={field.name}
      field={field}
      options={form.options}
      fault={findFault(field.name)}
      onChange={(changes) => change({ options: { ...form.options, ...changes } })}
    />
  );
  return (
    <form class="card stack" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Target"
        value={form.target}
        options={options.targets.map(({ name, title, isPreview }) => ({
          value: name,
          title: isPreview ? `${title} (preview)` : title,
        }))}
        hint={target?.sentence}
        fault={findFault("to")}
        onChange={(name) => change({ target: name })}
      />
      <div class="target-fields">{target?.fields.map(renderField)}</div>
      <SecretFields project={project} />
      <details open={hasFault || undefined}>
        <summary>More options</summary>
        <div class="target-fields">{options.publish.map(renderField)}</div>
      </details>
    </form>
  );
}

function SecretFields({ project: { secrets, knownSecrets, environmentSecrets } }: { project: ProjectState }) {
  const form = publishForm.value;
  return (
    <fieldset class="stack">
      <legend class="heading">Secrets</legend>
      {secrets.length === 0 && <p class="hint">This project declares none.</p>}
      {secrets.map((name) => (
        <div key={name}>
          <TextField
            label={name}
            type="password"
            value={form.secrets[name] ?? ""}
            hint={knownSecrets.includes(name) ? "Has a value in .env; a value here replaces it." : ""}
            fault={findFault(name)}
            onInput={(value) => change({ secrets: { ...form.secrets, [name]: value } })}
          />
          {environmentSecrets.includes(name) && (
            <Checkbox
              label="From the environment"
              hint={`Passes the value that the studio was started with. All code of the project can read it.`}
              isChecked={form.env.includes(name)}
              onChange={(isUsed) =>
                change({ env: [...form.env.filter((one) => one !== name), ...(isUsed ? [name] : [])] })
              }
            />
          )}
        </div>
      ))}
      {secrets.length > 0 && <p class="hint">Values go to the target, and are not kept anywhere else.</p>}
    </fieldset>
  );
}

function change(changes: Partial<PublishForm>): void {
  publishForm.value = { ...publishForm.value, ...changes, isChanged: true };
}

/** What is wrong with a control, by the latest plan, or by a later question about the target. */
function findFault(name: string): string | undefined {
  const { target } = publishForm.value;
  const jobs = [findLatestJob("plan", target), findLatestJob(["plan", "status"], target)];
  const faults = jobs.map((job) => (job?.state === "failed" ? job.fault : null));
  return faults.find((fault) => fault && findPlace(fault, listNames()) === name)?.message;
}
