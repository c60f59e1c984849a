import { choose } from "../actions.ts";
import { newField } from "../choices.ts";
import { Button } from "../controls/button.tsx";
import { choices, options } from "../state.ts";

export function AddResource() {
  const { resources } = choices.value;
  return (
    <div class="row add-resource">
      <Button onClick={() => choose({ resources: [...resources, { name: "", fields: [newField()] }] })}>
        Add resource
      </Button>
      <span class="hint">Next to /items, like {options.texts.resourceExample}</span>
    </div>
  );
}
