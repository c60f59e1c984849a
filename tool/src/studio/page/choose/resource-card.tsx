import { choose } from "../actions.ts";
import type { ResourceChoices } from "../choices.ts";
import { Button } from "../controls/button.tsx";
import { focusLater } from "../controls/focus.ts";
import { TextField } from "../controls/text-field.tsx";
import { choices, findFault } from "../state.ts";
import { FieldsGroup } from "./fields-group.tsx";

/** A resource next to the items. */
export function ResourceCard({ resource, index }: { resource: ResourceChoices; index: number }) {
  const { resources } = choices.value;
  const change = (changes: Partial<ResourceChoices>, control?: string) =>
    choose(
      { resources: resources.map((one, at) => (at === index ? { ...one, ...changes } : one)) },
      control && `resource-${index}-${control}`,
    );
  const remove = () => {
    choose({ resources: resources.filter((_, at) => at !== index) });
    focusLater(() => {
      const rest = [...document.querySelectorAll(".resource-head button")];
      return rest[index] ?? rest.at(-1) ?? document.querySelector(".add-resource button");
    });
  };
  return (
    <section class="card stack" aria-label={`Resource ${resource.name}`}>
      <div class="row spread resource-head">
        <TextField
          label="Resource name"
          value={resource.name}
          placeholder="orders"
          hint="In the plural; it is served at its name."
          fault={findFault("resource", index)?.message}
          onInput={(name) => change({ name }, "name")}
        />
        <Button kind="quiet" onClick={remove}>
          Remove resource
        </Button>
      </div>
      <FieldsGroup
        fields={resource.fields}
        resource={resource.name}
        findFault={(field) => findFault("resource", index, field)}
        onChange={(fields, control) => change({ fields }, control)}
      />
    </section>
  );
}
