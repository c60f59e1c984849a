import type { Choice } from "../../api.ts";
import { choose } from "../actions.ts";
import { type Option, OptionGroup } from "../controls/option-group.tsx";
import { TextField } from "../controls/text-field.tsx";
import { choices, findFault, findLatestJob, isApplication, isLocal, options, preview } from "../state.ts";
import { AddResource } from "./add-resource.tsx";
import { CommandCard } from "./command-card.tsx";
import { FieldsGroup } from "./fields-group.tsx";
import { MakeCard } from "./make-card.tsx";
import { ProofCard } from "./proof-card.tsx";
import { ResourceCard } from "./resource-card.tsx";
import { ServicesGroup } from "./services-group.tsx";

/** What can be asked for. */
export function ChooseTab() {
  const { fields, resources } = choices.value;
  return (
    <div class="choose">
      <form class="stack" onSubmit={(event) => event.preventDefault()}>
        <section class="card stack">
          <TextField
            label="Name"
            class="heading"
            value={choices.value.name}
            hint="Of the folder, the package and the image."
            fault={findFault("name")?.message ?? findTaken()}
            onInput={(name) => choose({ name }, "name")}
          />
          <Single legend="Framework" parameter="framework" known={listFrameworks()} />
          <ServicesGroup />
          <Single legend="Database" parameter="database" known={options.databases} />
        </section>
        <section class="card stack">
          <FieldsGroup
            fields={fields}
            resource="items"
            findFault={(index) => findFault("field", index)}
            onChange={(changed, control) => choose({ fields: changed }, control)}
          />
        </section>
        {resources.map((resource, index) => (
          <ResourceCard resource={resource} index={index} key={index} />
        ))}
        <AddResource />
        <section class="card stack">
          <Multiple legend="Features" member="features" parameter="with" known={options.features} />
          <Multiple legend="Webhooks" member="webhooks" parameter="webhook" known={options.sources} />
          <Single legend="Node" parameter="node" known={options.nodes} />
        </section>
      </form>
      <aside class="stack" aria-label="Result" aria-busy={preview.value === null}>
        <CommandCard />
        <MakeCard />
        {isLocal && <ProofCard />}
      </aside>
    </div>
  );
}

/** With services, each has its own. */
function listFrameworks(): Choice[] {
  const none = { name: "", title: "Of each service", sentence: "The services below have frameworks of their own." };
  return isApplication.value ? [none, ...options.frameworks] : options.frameworks;
}

/** The folder of this name is taken, as the latest attempt to make it found. */
function findTaken(): string | undefined {
  const job = findLatestJob("create", choices.value.name);
  return job?.state === "failed" && job.fault?.code === "folder_not_empty" ? job.fault.message : undefined;
}

interface SingleProps {
  legend: string;
  parameter: "framework" | "database" | "node";
  known: Choice[];
}

function Single({ legend, parameter, known }: SingleProps) {
  return (
    <OptionGroup
      legend={legend}
      kind="radio"
      options={known.map(toOption)}
      chosen={[choices.value[parameter]]}
      fault={findFault(parameter)?.message}
      onChoose={(name) => choose({ [parameter]: name })}
    />
  );
}

interface MultipleProps {
  legend: string;
  member: "features" | "webhooks";
  parameter: "with" | "webhook";
  known: Choice[];
}

function Multiple({ legend, member, parameter, known }: MultipleProps) {
  const chosen = choices.value[member];
  const faults = chosen.map((_, index) => findFault(parameter, index));
  return (
    <OptionGroup
      legend={legend}
      kind="checkbox"
      options={known.map(toOption)}
      chosen={chosen}
      fault={[findFault(parameter), ...faults].find((one) => one)?.message}
      onChoose={(name, isChosen) =>
        choose({
          [member]: known.map((one) => one.name).filter((one) => (one === name ? isChosen : chosen.includes(one))),
        })
      }
    />
  );
}

const toOption = ({ name, title, sentence }: Choice): Option => ({ name, title, about: sentence });
