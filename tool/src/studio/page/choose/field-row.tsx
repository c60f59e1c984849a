import type { FieldParts } from "../../../new/field-parts.ts";
import type { ChoiceFault } from "../../api.ts";
import { Button } from "../controls/button.tsx";
import { Checkbox } from "../controls/checkbox.tsx";
import { SelectField } from "../controls/select-field.tsx";
import { TextField } from "../controls/text-field.tsx";
import { options } from "../state.ts";
import { type FieldPart, findPart } from "./bounds.ts";
import { BoundsFields } from "./bounds-fields.tsx";

interface FieldRowProps {
  field: FieldParts;
  index: number;
  /** The resource that has the field. */
  resource: string;
  fault: ChoiceFault | undefined;
  onChange: (changes: Partial<FieldParts>, control?: string) => void;
  onRemove: () => void;
}

export function FieldRow({ field, index, resource, fault, onChange, onRemove }: FieldRowProps) {
  const type = options.types.find(({ name }) => name === field.type);
  const bounds = type?.bounds ?? "none";
  const part = fault && findPart(fault, field, bounds);
  const at = (name: FieldPart) => (part === name ? fault?.message : undefined);
  return (
    <fieldset class="field-row">
      <legend class="visually-hidden">{field.name || `Field ${index + 1}`}</legend>
      <TextField
        label="Field name"
        value={field.name}
        placeholder="unitPrice"
        fault={at("name")}
        onInput={(name) => onChange({ name }, "name")}
      />
      <SelectField
        label="Type"
        value={field.type}
        options={options.types.map(({ name }) => ({ value: name }))}
        fault={at("type")}
        // Bounds and defaults of another type would only be wrong.
        onChange={(name) => {
          const canBeUnique = options.types.find((one) => one.name === name)?.canBeUnique !== false;
          onChange({ type: name, bounds: undefined, default: undefined, isUnique: field.isUnique && canBeUnique });
        }}
      />
      <BoundsFields
        kind={bounds}
        value={field.bounds}
        findFault={at}
        resource={resource}
        onChange={(changed, control) => onChange({ bounds: changed }, control)}
      />
      <TextField
        label="Default"
        value={field.default ?? ""}
        class="default"
        fault={at("default")}
        isDisabled={type?.canHaveDefault === false && field.default === undefined}
        onInput={(text) => onChange({ default: text === "" ? undefined : text }, "default")}
      />
      <div class="field-flags">
        <Checkbox label="Optional" isChecked={field.isOptional} onChange={(isOptional) => onChange({ isOptional })} />
        <Checkbox
          label="Unique"
          isChecked={field.isUnique}
          fault={at("unique")}
          isDisabled={type?.canBeUnique === false && !field.isUnique}
          onChange={(isUnique) => onChange({ isUnique })}
        />
        <Button kind="quiet" onClick={onRemove}>
          Remove
        </Button>
      </div>
    </fieldset>
  );
}
