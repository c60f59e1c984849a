import { useRef } from "preact/hooks";
import type { FieldParts } from "../../../new/field-parts.ts";
import type { ChoiceFault } from "../../api.ts";
import { newField } from "../choices.ts";
import { Button } from "../controls/button.tsx";
import { focusAfterRemoval } from "../controls/focus.ts";
import { options } from "../state.ts";
import { FieldRow } from "./field-row.tsx";

interface FieldsGroupProps {
  fields: FieldParts[];
  /** The resource that has them. */
  resource: string;
  findFault: (index: number) => ChoiceFault | undefined;
  /** `control` is the text control that was typed in. */
  onChange: (fields: FieldParts[], control?: string) => void;
}

/** The fields of an item or of another resource. */
export function FieldsGroup({ fields, resource, findFault, onChange }: FieldsGroupProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  const remove = (index: number) => {
    onChange(fields.filter((_, at) => at !== index));
    focusAfterRemoval(group.current, ".field-row", index);
  };
  return (
    <fieldset class="stack" ref={group}>
      <legend class="heading">Fields</legend>
      {fields.length === 0 && <p class="hint">Without fields, an item has {options.defaults.fields.join(", ")}.</p>}
      {fields.map((field, index) => (
        <FieldRow
          key={index}
          field={field}
          index={index}
          resource={resource}
          fault={findFault(index)}
          onChange={(changes, control) =>
            onChange(
              fields.map((one, at) => (at === index ? { ...one, ...changes } : one)),
              control && `${index}-${control}`,
            )
          }
          onRemove={() => remove(index)}
        />
      ))}
      <div class="row">
        <Button onClick={() => onChange([...fields, newField()])}>Add field</Button>
        <span class="hint">Every item also has id and createdAt.</span>
      </div>
    </fieldset>
  );
}
